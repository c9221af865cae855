"""The checks of homework 3, in the order of the score board."""

from __future__ import annotations

from autograder.check import formula
from autograder.hw3.given_checks import GIVEN
from autograder.hw3.level_checks import LEARN, PROBE, TOGETHER

AGENT, CRITIC = ("agents/dqn_agent.py",), ("critics/dqn_critic.py",)
ARGMAX, AC_AGENT = ("policies/argmax_policy.py",), ("agents/ac_agent.py",)
VALUE, POLICY = ("critics/bootstrapped_continuous_critic.py",), ("policies/MLP_policy.py",)
ROLLOUTS, TRAINER = ("infrastructure/rollouts.py",), ("infrastructure/rl_trainer.py",)


FORMULA = [
    formula("hw3.dqn.act", "store frame, choose action", 5, AGENT, "dqn_act"),
    formula("hw3.dqn.step", "step and store the effect", 5, AGENT, "dqn_step"),
    formula("hw3.dqn.targets", "Bellman targets", 10, CRITIC, "dqn_targets"),
    formula("hw3.dqn.double_q", "double Q-learning", 10, CRITIC, "double_q"),
    formula("hw3.dqn.update", "the call to the critic", 4, AGENT, "dqn_update"),
    formula("hw3.dqn.sync", "the target network's turn", 6, AGENT, "dqn_sync"),
    formula("hw3.argmax.action", "greedy action", 4, ARGMAX, "argmax"),
    formula("hw3.critic.update", "bootstrapped critic", 12, VALUE, "critic_update"),
    formula("hw3.ac.train", "actor-critic's train", 8, AC_AGENT, "ac_train"),
    formula("hw3.ac.advantage", "advantage", 8, AC_AGENT, "advantage"),
    formula("hw3.policy.forward", "the policy's distribution", 5, POLICY, "policy_forward"),
    formula("hw3.policy.get_action", "the policy's action", 4, POLICY, "policy_action"),
    formula("hw3.policy.update", "policy gradient step", 8, POLICY, "policy_update"),
    formula(
        "hw3.rollouts.sample_trajectory", "a step of a rollout", 5, ROLLOUTS, "sample_trajectory"
    ),
    formula("hw3.trainer.collect", "collect paths", 3, TRAINER, "collect"),
    formula("hw3.trainer.train", "sample and train", 3, TRAINER, "trainer_train"),
]
CHECKS = [*FORMULA, *GIVEN, *TOGETHER, *PROBE, *LEARN]

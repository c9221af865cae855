"""The checks of homework 3, in the order of the score board."""

from __future__ import annotations

from autograder.check import Check
from autograder.hw3.given_checks import GIVEN
from autograder.hw3.level_checks import LEARN, PROBE, TOGETHER

AGENT, CRITIC = ("agents/dqn_agent.py",), ("critics/dqn_critic.py",)
ARGMAX, AC_AGENT = ("policies/argmax_policy.py",), ("agents/ac_agent.py",)
VALUE, POLICY = ("critics/bootstrapped_continuous_critic.py",), ("policies/MLP_policy.py",)
ROLLOUTS, TRAINER = ("infrastructure/rollouts.py",), ("infrastructure/rl_trainer.py",)


def _formula(
    blank: str, title: str, points: int, owners: tuple[str, ...], probe: str, answer: str
) -> Check:
    if probe == answer:  # two files of one name
        places = f"hw3.probes.{probe}:probe", f"hw3.answers.{answer}:QUESTION"
    else:
        places = f"hw3.probe_{probe}", f"hw3.answer_{answer}"
    return Check(f"hw3.{blank}", title, points, owners, *places)


FORMULA = [
    _formula("dqn.act", "store frame, choose action", 5, AGENT,
             "dqn_act", "dqn_act"),
    _formula("dqn.step", "step and store the effect", 5, AGENT,
             "dqn_step", "dqn_step"),
    _formula("dqn.targets", "Bellman targets", 10, CRITIC,
             "dqn_targets", "dqn_targets"),
    _formula("dqn.double_q", "double Q-learning", 10, CRITIC,
             "double_q", "double_q"),
    _formula("dqn.update", "the call to the critic", 4, AGENT,
             "dqn_update", "dqn_update"),
    _formula("dqn.sync", "the target network's turn", 6, AGENT,
             "dqn_sync", "dqn_sync"),
    _formula("argmax.action", "greedy action", 4, ARGMAX,
             "argmax", "argmax"),
    _formula("critic.update", "bootstrapped critic", 12, VALUE,
             "critic_update", "critic_update"),
    _formula("ac.train", "actor-critic's train", 8, AC_AGENT,
             "ac_train", "ac_train"),
    _formula("ac.advantage", "advantage", 8, AC_AGENT,
             "advantage", "advantage"),
    _formula("policy.forward", "the policy's distribution", 5, POLICY,
             "policy_forward", "policy_forward"),
    _formula("policy.get_action", "the policy's action", 4, POLICY,
             "policy_action", "policy_action"),
    _formula("policy.update", "policy gradient step", 8, POLICY,
             "policy_update", "policy_update"),
    _formula("rollouts.sample_trajectory", "a step of a rollout", 5, ROLLOUTS,
             "sample_trajectory", "sample_trajectory"),
    _formula("trainer.collect", "collect paths", 3, TRAINER,
             "trainer:probe_collect", "collect:judge_collect"),
    _formula("trainer.train", "sample and train", 3, TRAINER,
             "trainer_train", "trainer_train"),
]  # fmt: skip
CHECKS = [*FORMULA, *GIVEN, *TOGETHER, *PROBE, *LEARN]

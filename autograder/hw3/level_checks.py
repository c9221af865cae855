"""The checks of homework 3 in which a whole agent must run, or learn."""

from __future__ import annotations

from autograder.check import Check

DQN_OWNERS = ("agents/dqn_agent.py", "critics/dqn_critic.py", "policies/argmax_policy.py")
AC_OWNERS = (
    "agents/ac_agent.py",
    "critics/bootstrapped_continuous_critic.py",
    "policies/MLP_policy.py",
    "infrastructure/rollouts.py",
)
DQN_BLANKS = (
    "hw3.dqn.act",
    "hw3.dqn.step",
    "hw3.dqn.targets",
    "hw3.dqn.update",
    "hw3.dqn.sync",
    "hw3.argmax.action",
)
AC_BLANKS = (
    "hw3.critic.update",
    "hw3.ac.train",
    "hw3.ac.advantage",
    "hw3.policy.forward",
    "hw3.policy.get_action",
    "hw3.policy.update",
    "hw3.rollouts.sample_trajectory",
)

SECONDS = 40.0  # some 2 on an idle machine
TOGETHER = [
    Check(
        "hw3.given.together_dqn",
        "DQN's parts together",
        0,
        (),
        "hw3.probe_together:probe_dqn",
        "hw3.answer_together:judge_together",
        seconds=SECONDS,
        parts=(*DQN_BLANKS, "hw3.dqn.double_q", "hw3.trainer.train"),
    ),
    Check(
        "hw3.given.together_actor_critic",
        "actor-critic's parts together",
        0,
        (),
        "hw3.probe_together:probe_actor_critic",
        "hw3.answer_together:judge_together",
        seconds=SECONDS,
        parts=(*AC_BLANKS, "hw3.trainer.collect", "hw3.trainer.train"),
    ),
]
PROBE = [
    Check(
        "hw3.learn.dqn",
        "six tiny tasks, exactly",
        0,
        DQN_OWNERS,
        "hw3.probe_learning:probe_dqn",
        "hw3.answer_learning:judge_dqn",
        "probe",
        DQN_BLANKS,
        60.0,
    ),
    Check(
        "hw3.learn.double_dqn",
        "six tiny tasks, exactly",
        0,
        DQN_OWNERS,
        "hw3.probe_learning:probe_double_dqn",
        "hw3.answer_learning:judge_dqn",
        "probe",
        (*DQN_BLANKS, "hw3.dqn.double_q"),
        60.0,
    ),
    Check(
        "hw3.learn.actor_critic",
        "six tiny tasks, exactly",
        0,
        AC_OWNERS,
        "hw3.probe_learning:probe_actor_critic",
        "hw3.answer_learning:judge_actor_critic",
        "probe",
        AC_BLANKS,
        60.0,
    ),
    Check(
        "hw3.learn.actor_critic_continuous",
        "two tiny tasks, exactly",
        0,
        AC_OWNERS,
        "hw3.probe_learning:probe_continuous",
        "hw3.answer_learning:judge_continuous",
        "probe",
        AC_BLANKS,
        60.0,
    ),
]
LEARN = [
    Check(
        "hw3.learn.cartpole",
        "actor-critic on CartPole",
        0,
        AC_OWNERS,
        "hw3.probe_training:probe_cartpole",
        "hw3.answer_training:judge_cartpole",
        "learn",
        AC_BLANKS,
        600.0,
    ),
    Check(
        "hw3.learn.lander",
        "DQN on Lunar Lander",
        0,
        DQN_OWNERS,
        "hw3.probe_training:probe_lander",
        "hw3.answer_training:judge_lander",
        "learn",
        DQN_BLANKS,
        1800.0,
    ),
]

"""The checks of homework 3 in which a whole agent must run, or learn."""

from __future__ import annotations

from autograder.check import Check

Blanks = tuple[str, ...]
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
DOUBLE, COLLECT, TRAIN = "hw3.dqn.double_q", "hw3.trainer.collect", "hw3.trainer.train"
SIX, TWO = "six tiny tasks, exactly", "two tiny tasks, exactly"


def _together(name: str, title: str, parts: Blanks) -> Check:
    """Returns a check of parts that run together: some 2 seconds on an idle machine."""
    places = f"hw3.probe_together:probe_{name}", "hw3.answer_together:judge_together"
    id, title = f"hw3.given.together_{name}", f"{title} parts together"
    return Check(id, title, 0, (), *places, seconds=40.0, parts=parts)


def _learns(
    level: str, name: str, title: str, blanks: Blanks, probe: str, judge: str, seconds: float = 60.0
) -> Check:
    """Returns a check of an agent that learns."""
    files = {"probe": "learning", "learn": "training"}[level]
    owners = DQN_OWNERS if blanks[0] in DQN_BLANKS else AC_OWNERS
    places = f"hw3.probe_{files}:probe_{probe}", f"hw3.answer_{files}:judge_{judge}"
    return Check(f"hw3.learn.{name}", title, 0, owners, *places, level, blanks, seconds)


TOGETHER = [
    _together("dqn", "DQN's", (*DQN_BLANKS, DOUBLE, TRAIN)),
    _together("actor_critic", "actor-critic's", (*AC_BLANKS, COLLECT, TRAIN)),
]
PROBE = [
    _learns("probe", "dqn", SIX, DQN_BLANKS, "dqn", "dqn"),
    _learns("probe", "double_dqn", SIX, (*DQN_BLANKS, DOUBLE), "double_dqn", "dqn"),
    _learns("probe", "actor_critic", SIX, AC_BLANKS, "actor_critic", "actor_critic"),
    _learns("probe", "actor_critic_continuous", TWO, AC_BLANKS, "continuous", "continuous"),
]
LEARN = [
    _learns(
        "learn", "cartpole", "actor-critic on CartPole", AC_BLANKS, "cartpole", "cartpole", 600.0
    ),
    _learns("learn", "lander", "DQN on Lunar Lander", DQN_BLANKS, "lander", "lander", 1800.0),
]

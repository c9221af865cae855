"""Lets a portfolio step through episodes: who acts at each step, and when the rule is asked."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from autograder.hw6.portfolio_case import Rule, build
from autograder.probing import Student

LENGTHS = (3, 1, 4, 2, 1, 5, 2)


def probe(student: Student, seed: int) -> None:
    """Plays episodes of given lengths with several members, and with one."""
    student.try_out("several members", functools.partial(play, student, seed, 5, False))
    student.try_out("one member", functools.partial(play, student, seed, 1, False))
    student.try_out(
        "a run that goes on within an episode", functools.partial(play, student, seed, 5, True)
    )


def play(student: Student, seed: int, members: int, resumed: bool, seen: dict[str, Any]) -> None:
    """Notes each step, however far it comes; the second member seems the best."""
    rng = np.random.default_rng([285, 71, seed])
    rule = Rule(members, rng.integers(members, size=sum(LENGTHS)).tolist())
    agent, log = build(student, seed, members, rule, LENGTHS)

    agent.between_episodes = not resumed
    for k in range(1, members):
        agent.record.add(k, -float(k))

    def end_episode(score: float) -> None:
        agent.between_episodes = True  # which is another blank's

    agent.end_episode = end_episode
    asked, playing, within = [], [], []
    try:
        for _ in range(sum(LENGTHS)):
            agent.step_env()
            asked.append(rule.asked)
            playing.append(agent.playing)
            within.append(bool(agent.between_episodes))
    finally:
        seen["who acts at each step"] = np.array(log, np.int64)
        seen["who is said to play after each step"] = np.array(playing, np.float64)
        seen["how often the rule has been asked after each step"] = np.array(asked, np.int64)
        seen["whether an episode is over after each step"] = np.array(within, np.bool_)
        seen["rule_told"] = bool(rule.told)

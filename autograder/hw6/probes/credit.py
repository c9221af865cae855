"""Ends episodes: whom the rule is told of, with which score, and what is said of the next step."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from autograder.hw6.portfolio_case import Rule, build
from autograder.hw6.rule_case import number_or_nan
from autograder.probing import Student

NONE, MEMBERS = -1.0, 5


def probe(student: Student, seed: int) -> None:
    """Ends some episodes of several members, and of one."""
    for name, members in {"several members": MEMBERS, "one member": 1}.items():
        student.try_out(name, functools.partial(end, student, seed, members))


def end(student: Student, seed: int, members: int, seen: dict[str, Any]) -> None:
    """Notes after each episode what the rule was told; the score is another blank's."""
    rng = np.random.default_rng([285, 72, seed])
    scores = rng.uniform(0.2, 0.8, 6) * [1, 1, 0, 1, 1, 1]
    rule = Rule(members, rng.integers(members, size=9).tolist())
    agent, _ = build(student, seed, members, rule)
    agent.scaled = lambda score: float(scores[len(told)])
    told: list[tuple[float, float]] = []
    calls, over, playing = [], [], []
    try:
        for k in range(len(scores)):
            before = len(rule.told)
            who = (2 + 3 * k) % members
            agent.playing, agent.between_episodes = who, False
            agent.end_episode(float(-50 - 9 * k if k % 2 else 30 + k))
            told.append(rule.told[-1] if len(rule.told) > before else (NONE, NONE))
            calls.append(len(rule.told) - before)
            over.append(number_or_nan(agent.between_episodes) == 1)
            playing.append(agent.playing == who)
    finally:
        seen["how often the rule is told of an episode"] = np.array(calls, np.int64)
        seen["whom it is told of"] = np.nan_to_num([arm for arm, _ in told], nan=-9.0)
        seen["with which score"] = np.nan_to_num([x for _, x in told], nan=-9.0)
        seen["whether the next step is one between episodes"] = np.array(over, np.bool_)
        seen["who plays stays"] = np.array(playing, np.bool_)
        seen["rule_asked"] = rule.asked > 0

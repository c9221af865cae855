"""Ends episodes: whom the rule is told of, with which score, and what is said of the next step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.experiments import note_row
from autograder.hw6.portfolio_case import Rule, build
from autograder.hw6.rule_case import finite, number_or_nan
from autograder.probing import Student

NOTHING = (-1.0, -1.0)


@dataclass(frozen=True)
class Episodes:
    """How many members there are, and the score of each episode, which is another blank's."""

    seed: int
    members: int
    score_n: np.ndarray


def cases(seed: int) -> Mapping[str, Episodes]:
    """Returns some episodes of several members, and of one."""
    scores = np.random.default_rng([285, 72, seed]).uniform(0.2, 0.8, 6) * [1, 1, 0, 1, 1, 1]
    return {
        "several members": Episodes(seed, 5, scores),
        "one member": Episodes(seed, 1, scores),
    }


def observe(student: Student, case: Episodes) -> dict[str, Any]:
    """Notes after each episode what the rule was told."""
    arms = np.random.default_rng([285, 74, case.seed]).integers(case.members, size=9)
    rule = Rule(case.members, arms.tolist())
    agent, _ = build(student, case.seed, case.members, rule)
    for k, x in enumerate(case.score_n.tolist()):
        before, who = len(rule.told), (2 + 3 * k) % case.members
        agent.scaled = lambda score, x=x: x
        agent.playing, agent.between_episodes = who, False
        agent.end_episode(float(-50 - 9 * k if k % 2 else 30 + k))
        arm, told = rule.told[-1] if len(rule.told) > before else NOTHING
        row = {
            "how often the rule is told of an episode": len(rule.told) - before,
            "whom it is told of": finite(arm),
            "with which score": finite(told),
            "whether the next step is one between episodes": (
                number_or_nan(agent.between_episodes) == 1
            ),
            "who plays stays": agent.playing == who,
            "rule_asked": rule.asked > 0,
        }
        note_row(student, row)
    return {}

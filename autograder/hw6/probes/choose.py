"""Lets a portfolio step through episodes: who acts at each step, and when the rule is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.experiments import note_row
from autograder.hw6.portfolio_case import Rule, build
from autograder.probing import Student

LENGTHS = (3, 1, 4, 2, 1, 5, 2)


@dataclass(frozen=True)
class Run:
    """How many members there are, and whether the run goes on within an episode."""

    seed: int
    members: int = 5
    resumed: bool = False


def cases(seed: int) -> Mapping[str, Run]:
    """Returns what is tried."""
    return {
        "several members": Run(seed),
        "one member": Run(seed, members=1),
        "a run that goes on within an episode": Run(seed, resumed=True),
    }


def observe(student: Student, case: Run) -> dict[str, Any]:
    """Notes each step, however far it comes; the second member seems the best."""
    rng = np.random.default_rng([285, 71, case.seed])
    rule = Rule(case.members, rng.integers(case.members, size=sum(LENGTHS)).tolist())
    agent, log = build(student, case.seed, case.members, rule, LENGTHS)
    student.notes["who acts at each step"] = log
    agent.between_episodes = not case.resumed
    for k in range(1, case.members):
        agent.record.add(k, -float(k))

    def end_episode(score: float) -> None:
        agent.between_episodes = True  # which is another blank's

    agent.end_episode = end_episode
    for _ in range(sum(LENGTHS)):
        agent.step_env()
        row = {
            "who is said to play after each step": agent.playing,
            "how often the rule has been asked after each step": rule.asked,
            "whether an episode is over after each step": bool(agent.between_episodes),
            "rule_told": bool(rule.told),
        }
        note_row(student, row)
    return {}

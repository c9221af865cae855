"""Lets epochs pass: with many arms, with one, with an arm that nobody plays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from autograder.homeworks.hw6.fakes.rules import NUM_ARMS, Plays, plays
from autograder.running.experiments import note_row
from autograder.running.probing import Student

EPISODES = 40  # epochs of 1, 2, 4, 8 and 16, and the beginning of the next


def cases(seed: int) -> Mapping[str, Plays]:
    """Returns who plays, and how well."""
    several, one = (plays(seed, EPISODES, num_arms) for num_arms in (NUM_ARMS, 1))
    return {"several arms": several, "one arm": one}


def observe(student: Student, case: Plays) -> dict[str, Any]:
    """Notes the epoch, who may learn, and the counts after each episode."""
    selectors: Any = student.module("agents.selectors")
    rule = selectors.ESBAS(case.num_arms, 0)
    for arm, x in case.each():
        rule.frozen = True  # as `choose` says, which uses another blank
        rule.update(arm, x)
        row = {
            "epoch after each episode": rule.beta,
            "whether members learn after each episode": not rule.frozen,
            "plays_k after each episode": rule.plays_k,
            "total_k after each episode": rule.total_k,
        }
        note_row(student, row)
    return {}

"""Lets the sliding window count: from its first play on, until old ones have left, and for long."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from autograder.homeworks.hw6.fakes.rules import NUM_ARMS, SECONDS, Plays, plays
from autograder.running.experiments import note_row
from autograder.running.guard import guarded
from autograder.running.probing import Student

Case = tuple[Plays, int, int]
"""All plays, how many of them come before it begins, and the shortest window."""


def cases(seed: int) -> Mapping[str, Case]:
    """Returns what is tried."""
    return {
        "as it is": (plays(seed, 60), 0, 8),
        "with another shortest window": (plays(seed, 30), 0, 3),
        "where given code cuts the list": (plays(seed, 2026), 1996, 8),
    }


def observe(student: Student, case: Case) -> dict[str, Any]:
    """Notes the counts after each play; returns the plays that the window has in the end."""
    selectors: Any = student.module("agents.selectors")
    rule = selectors.SSBAS(NUM_ARMS, 0)
    played, before, rule.shortest = case
    begin(rule, played.each()[:before])
    with guarded(SECONDS):
        for arm, x in played.each()[before:]:
            rule.update(arm, x)
            row = {
                "plays_k after each play": rule.plays_k,
                "total_k after each play": rule.total_k,
                "length of the window after each play": len(rule.window) - rule.oldest,
            }
            note_row(student, row)
    window = rule.window[rule.oldest :]
    return {
        "arms in the window": [arm for arm, _ in window],
        "scores in the window": [x for _, x in window],
    }


def begin(rule: Any, played: list[tuple[int, float]]) -> None:
    """Puts a rule where it is after an even number of plays."""
    rule.window, rule.time, rule.oldest = played, len(played), len(played) // 2
    for arm, x in played[rule.oldest :]:
        rule.plays_k[arm] += 1
        rule.total_k[arm] += x

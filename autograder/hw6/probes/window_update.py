"""Lets the sliding window count: from its first play on, until old ones have left, and for long."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.hw6.rule_case import NUM_ARMS, SECONDS, plays
from autograder.probing import Student, guarded

TRIALS = {  # plays before it begins, plays, and the shortest window
    "as it is": (0, 60, 8),
    "with another shortest window": (0, 30, 3),
    "where given code cuts the list": (1996, 30, 8),
}


def probe(student: Student, seed: int) -> None:
    """Plays, and notes what is counted after each play."""
    for name, settings in TRIALS.items():
        student.try_out(name, functools.partial(play, student, seed, *settings))


def play(
    student: Student, seed: int, before: int, number: int, shortest: int, seen: dict[str, Any]
) -> None:
    """Notes the counts, and the plays that the window holds in the end."""
    selectors: Any = student.module("infrastructure.selectors")
    rule = selectors.SSBAS(NUM_ARMS, seed)
    rule.shortest = shortest
    played = [(int(arm), float(x)) for arm, x in zip(*plays(seed, before + number), strict=True)]
    begin(rule, played[:before])
    counted, totals, lengths = [], [], []
    with guarded(SECONDS):
        for arm, x in played[before:]:
            rule.update(arm, x)
            counted.append(np.array(rule.plays_k))
            totals.append(np.array(rule.total_k))
            lengths.append(len(rule.window) - rule.oldest)
    window = rule.window[rule.oldest :]
    seen["plays_k after each play"] = np.array(counted)
    seen["total_k after each play"] = np.array(totals)
    seen["length of the window after each play"] = lengths
    seen["arms in the window"] = [arm for arm, _ in window]
    seen["scores in the window"] = [x for _, x in window]


def begin(rule: Any, played: Sequence[tuple[int, float]]) -> None:
    """Puts a rule where it is after an even number of plays."""
    rule.window, rule.time, rule.oldest = list(played), len(played), len(played) // 2
    for arm, x in played[rule.oldest :]:
        rule.plays_k[arm] += 1
        rule.total_k[arm] += x

"""Lets each arm play once: what becomes of the logarithms of EXP3's weights.

The chances are another blank's. So the weights here are such whose chances are known.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from autograder.core import fingerprint
from autograder.probing import Student


class Known(NamedTuple):
    """Weights, gamma, and each arm's chance with these."""

    weights: tuple[float, ...]
    gamma: float
    chances: tuple[float, ...]


APART = Known((4, 2, 1, 1), 0.1, (0.475, 0.25, 0.1375, 0.1375))
KNOWN = {
    "weights apart": APART,
    "another gamma": Known((1, 4, 2, 1), 0.2, (0.15, 0.45, 0.25, 0.15)),
    "equal weights": Known((1, 1, 1, 1, 1), 0.1, (0.2, 0.2, 0.2, 0.2, 0.2)),
}


def probe(student: Student, seed: int) -> None:
    """Lets each arm play with a score of its own, then with 0 and with 1."""
    student.try_moves("weights", functools.partial(moving, student))
    for name, known in KNOWN.items():
        scores = np.random.default_rng([285, 64, seed]).uniform(0.2, 0.8, len(known.weights))
        each = functools.partial(play_all, student, known, scores)
        student.try_out(name, each)
    for x in (0.0, 1.0):
        each = functools.partial(play_all, student, APART, np.full(4, x))
        student.try_out(f"a score of {x:g}", each)


def after(student: Student, known: Known, arm: int, x: float) -> np.ndarray:
    """Returns how the logarithms of the weights changed."""
    selectors: Any = student.module("infrastructure.selectors")
    rule = selectors.EXP3(len(known.weights), 0)
    before = np.log(known.weights) + 0.5
    rule.log_w_k, rule.gamma = before.copy(), known.gamma
    rule.plays_k = np.arange(2.0, len(before) + 2)
    rule.total_k = rule.plays_k / 2
    rule.probs = lambda: np.array(known.chances)
    rule.update(arm, x)
    change: np.ndarray = np.asarray(rule.log_w_k, np.float64) - before
    return change


def moving(student: Student, seen: dict[str, Any]) -> None:
    """What the change depends on."""
    moves = {"x": (1, 0.9), "arm": (2, 0.5)}

    def changes(case: tuple[int, float]) -> np.ndarray:
        change = after(student, APART, *case)
        change -= change.mean()
        return change

    fingerprint.note(seen, changes, (1, 0.5), moves)


def play_all(student: Student, known: Known, scores: np.ndarray, seen: dict[str, Any]) -> None:
    """Notes the change after each arm's play, from the same weights each time.

    A common change does not matter; but where there is a score, there is a change.
    """
    changes = np.array([after(student, known, arm, float(x)) for arm, x in enumerate(scores)])
    changes = np.where(np.isfinite(changes), changes, -999.0)
    seen["change of log_w_k, up to a common one"] = changes - changes.mean(1, keepdims=True)
    if scores.all():
        seen["whether anything changes"] = changes.any(1)

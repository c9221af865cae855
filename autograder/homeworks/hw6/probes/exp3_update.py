"""Lets arms play once: what becomes of the logarithms of EXP3's weights.

The chances are another blank's. So the weights here are such whose chances are known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograder.homeworks.hw6.fakes.rules import finite
from autograder.running.experiments import Moves
from autograder.running.probing import Student


@dataclass(frozen=True)
class Plays:
    """Weights, gamma, each arm's chance with these; and plays, each from the same weights."""

    weights: tuple[float, ...]
    gamma: float
    chances: tuple[float, ...]
    arm_n: tuple[int, ...]
    x_n: tuple[float, ...]
    scale: tuple[float, float] = (1.0, 0.0)  # to which earlier scores are still to be brought


APART = Plays((4, 2, 1, 1), 0.1, (0.475, 0.25, 0.1375, 0.1375), (0, 1, 2, 3), (0.5,) * 4)
OTHERS = Plays((1, 4, 2, 1), 0.2, (0.15, 0.45, 0.25, 0.15), (0, 1, 2, 3), (0.5,) * 4)
EQUAL = Plays((1,) * 5, 0.1, (0.2,) * 5, (0, 1, 2, 3, 4), (0.5,) * 5)


def cases(seed: int) -> Mapping[str, Plays]:
    """Returns what is tried: each arm plays, with a score of its own, then with 0 and with 1."""
    x_n = tuple(np.random.default_rng([285, 64, seed]).uniform(0.2, 0.8, 5).tolist())
    return {
        "weights apart": replace(APART, x_n=x_n[:4]),
        "another gamma": replace(OTHERS, x_n=x_n[:4]),
        "equal weights": replace(EQUAL, x_n=x_n),
        "on another scale": replace(APART, x_n=x_n[:4], scale=(0.5, 0.1)),
        "a score of 0": replace(APART, x_n=(0.0,) * 4),
        "a score of 1": replace(APART, x_n=(1.0,) * 4),
    }


def moves(seed: int) -> Iterator[Moves]:
    """Moves the score and the arm of one play."""
    usual = replace(APART, arm_n=(1,), x_n=(0.5,))
    moved = {"x": replace(usual, x_n=(0.9,)), "arm": replace(usual, arm_n=(2,))}
    yield Moves("weights", usual, moved)


def observe(student: Student, case: Plays) -> dict[str, Any]:
    """Returns the change by each play.

    A common change does not matter; but where there is a score, there is a change.
    """
    selectors: Any = student.module("agents.selectors")
    before, changes, units = np.log(case.weights) + 0.5, [], []
    for arm, x in zip(case.arm_n, case.x_n, strict=True):
        rule = selectors.EXP3(len(before), 0)
        rule.log_w_k, rule.gamma = before.copy(), case.gamma
        rule.plays_k = np.arange(2.0, len(before) + 2)
        rule.total_k = rule.plays_k / 2
        rule.unit_k, rule.scale = before**2 + 0.3, case.scale
        rule.probs = lambda: np.array(case.chances)
        rule.update(arm, x)
        units.append(np.asarray(rule.unit_k, np.float64) - before**2 - 0.3)
        changes.append(np.asarray(rule.log_w_k, np.float64) - before)
    change_nk = np.array(changes)
    apart = finite(change_nk - change_nk.mean(1, keepdims=True))
    record: dict[str, Any] = {"change of log_w_k, up to a common one": apart}
    record["change of `unit_k`"] = finite(np.array(units))
    if all(case.x_n):
        record["whether anything changes"] = change_nk.any(1)
    return record

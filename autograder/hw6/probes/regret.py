"""Asks what choosing has cost: some members have never played, returns are of both signs."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from autograder.core import fingerprint
from autograder.probing import Student, plain_array

Case = tuple[np.ndarray, np.ndarray]
"""Sums of returns, and plays."""


def cases(seed: int) -> dict[str, Case]:
    """Returns what is tried; the best mean has neither the largest sum nor the most plays."""
    rng = np.random.default_rng([285, 70, seed])
    others = rng.permutation([0, 2, 3, 4])
    order = np.insert(others, rng.integers(1, 4), 1)  # the best is neither first nor last
    plays_k = np.array([0, 2, 11, 5, 3.0])[order]
    mean_k = np.array([0, 90, 30, -20, 10.0])[order] + rng.uniform(0, 9, 5)
    usual = plays_k * mean_k, plays_k
    played = plays_k + 1
    return {
        "one has never played": usual,
        "all have played": (played * mean_k, played),
        "all returns below 0": (played * (mean_k - 150), played),
        "below 0, one has never played": (plays_k * (mean_k - 150), plays_k),
        "returns near 0": (played * mean_k / 500, played),
        "one member": (usual[0][plays_k == 5], plays_k[plays_k == 5]),
        "nobody has played": (np.zeros(3), np.zeros(3)),
    }


def probe(student: Student, seed: int) -> None:
    """Asks in each case, and whether the arguments are left alone."""
    student.try_moves("regrets", functools.partial(moving, student, cases(seed)))
    for name, case in cases(seed).items():
        student.try_out(name, functools.partial(ask, student, case))


def moving(student: Student, usual: dict[str, Case], seen: dict[str, Any]) -> None:
    """What the regret depends on: members that are not the best, and the best."""
    (total_k, plays_k), moves = usual["all have played"], {}
    order = np.argsort(total_k / plays_k)
    for where, k in (("of the worst member", order[0]), ("of the best member", order[-1])):
        one = np.eye(5)[k]
        moves[f"total_k {where}"] = total_k + one, plays_k
        moves[f"plays_k {where}"] = total_k, plays_k + one
    module: Any = student.module("agents.portfolio_agent")

    def regrets(case: Case) -> np.ndarray:
        return plain_array(module.regret(*(array.copy() for array in case))).reshape(-1)

    fingerprint.note(seen, regrets, (total_k, plays_k), moves)


def ask(student: Student, case: Case, seen: dict[str, Any]) -> None:
    """Notes the regret."""
    module: Any = student.module("agents.portfolio_agent")
    given = [array.copy() for array in case]
    cost = plain_array(module.regret(*given))
    seen["regret"] = np.nan_to_num(cost, nan=-1e6, posinf=1e6, neginf=-1e7)
    seen["inputs_changed"] = not all(map(np.array_equal, given, case))

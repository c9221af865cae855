"""Asks how good arms may be: some never played, some often, one alone."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograder.core import fingerprint
from autograder.probing import Student, plain_array

PLAYS = (0.0, 1.0, 2.0, 5.0, 0.0, 11.0, 30.0)


@dataclass(frozen=True)
class Arms:
    """The arguments of `ucb_index`."""

    total_k: np.ndarray
    plays_k: np.ndarray
    xi: float


def cases(seed: int) -> dict[str, Arms]:
    """Returns what is tried."""
    rng = np.random.default_rng([285, 61, seed])
    plays_k, xi = rng.permutation(PLAYS), float(rng.uniform(0.2, 0.6))
    all_k = plays_k + 1
    usual = Arms(plays_k * rng.uniform(0.2, 0.8, len(PLAYS)), plays_k, xi)
    return {
        "some never played": usual,
        "all played": Arms(all_k * rng.uniform(0.2, 0.8, len(PLAYS)), all_k, 6 * xi),
        "scores of 0 and 1": replace(usual, total_k=plays_k * (plays_k > 2)),
        "one play in all": Arms(np.eye(4)[1] * xi, np.eye(4)[1], xi),
        "one arm": Arms(usual.total_k[plays_k == 5], plays_k[plays_k == 5], xi),
        "nobody has played": Arms(np.zeros(3), np.zeros(3), xi),
    }


def probe(student: Student, seed: int) -> None:
    """Asks for the index in each case, and whether the arguments are left alone."""
    student.try_moves("indices", functools.partial(moving, student, cases(seed)))
    for name, case in cases(seed).items():
        student.try_out(name, functools.partial(ask, student, case))


def moving(student: Student, usual: dict[str, Arms], seen: dict[str, Any]) -> None:
    """What the indices depend on, where each arm has played."""
    case, one = usual["all played"], np.eye(len(PLAYS))[2]
    moves = {
        "total_k[2]": replace(case, total_k=case.total_k + one),
        "plays_k[2]": replace(case, plays_k=case.plays_k + one),
        "xi": replace(case, xi=case.xi + 0.1),
    }
    selectors: Any = student.module("infrastructure.selectors")

    def indices(case: Arms) -> np.ndarray:
        return plain_array(selectors.ucb_index(case.total_k.copy(), case.plays_k.copy(), case.xi))

    fingerprint.note(seen, indices, case, moves)


def ask(student: Student, case: Arms, seen: dict[str, Any]) -> None:
    """Notes the entries of who has played; of the others only whether they are infinite."""
    selectors: Any = student.module("infrastructure.selectors")
    total_k, plays_k = case.total_k.copy(), case.plays_k.copy()
    index_k = plain_array(selectors.ucb_index(total_k, plays_k, case.xi)).astype(np.float64)
    known = np.isfinite(index_k) & (case.plays_k > 0)
    seen["index of who has played"] = np.where(known, index_k, 0.0)
    seen["which are infinite"] = np.where(np.isinf(index_k), np.sign(index_k), 0.0)
    seen["which are not numbers"] = np.isnan(index_k)
    same = np.array_equal(total_k, case.total_k) and np.array_equal(plays_k, case.plays_k)
    seen["inputs_changed"] = not same

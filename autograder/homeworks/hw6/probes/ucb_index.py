"""Asks how good arms may be: some never played, some often, one alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograder.running.probing import Student, plain_array

RESULTS = "indices"
PLAYS = (0.0, 1.0, 2.0, 5.0, 0.0, 11.0, 30.0)


@dataclass(frozen=True)
class Arms:
    """The arguments of `ucb_index`, by their names there."""

    total_k: np.ndarray
    plays_k: np.ndarray
    xi: float


def cases(seed: int) -> Mapping[str, Arms]:
    """Returns what is tried: first arms that have all played."""
    rng = np.random.default_rng([285, 61, seed])
    plays_k, xi = rng.permutation(PLAYS), float(rng.uniform(0.2, 0.6))
    all_k = plays_k + 1
    usual = Arms(plays_k * rng.uniform(0.2, 0.8, len(PLAYS)), plays_k, xi)
    return {
        "all played": Arms(all_k * rng.uniform(0.2, 0.8, len(PLAYS)), all_k, 6 * xi),
        "some never played": usual,
        "scores of 0 and 1": replace(usual, total_k=plays_k * (plays_k > 2)),
        "one play in all": Arms(np.eye(4)[1] * xi, np.eye(4)[1], xi),
        "one arm": Arms(usual.total_k[plays_k == 5], plays_k[plays_k == 5], xi),
        "nobody has played": Arms(np.zeros(3), np.zeros(3), xi),
    }


def observe(student: Student, case: Arms) -> dict[str, Any]:
    """Returns the indices of who has played; of the others only whether they are infinite."""
    selectors: Any = student.module("agents.selectors")
    played = case.plays_k > 0
    index_k = plain_array(selectors.ucb_index(**vars(case))).astype(np.float64)
    return {
        "index of who has played": np.where(np.isfinite(index_k) & played, index_k, 0.0),
        "infinite": np.where(np.isinf(index_k), np.sign(index_k), 0.0),
        "which are not numbers": np.isnan(index_k),
    }

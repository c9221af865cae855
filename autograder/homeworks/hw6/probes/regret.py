"""Asks what choosing has cost: some members have never played, returns are of both signs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.homeworks.hw6.fakes.rules import finite
from autograder.running.experiments import Moves, each_field
from autograder.running.probing import Student


@dataclass(frozen=True)
class Members:
    """The arguments of `regret`, by their names there: sums of returns, and plays."""

    total_k: np.ndarray
    plays_k: np.ndarray


def cases(seed: int) -> Mapping[str, Members]:
    """Returns what is tried; the best mean has neither the largest sum nor the most plays."""
    rng = np.random.default_rng([285, 70, seed])
    others = rng.permutation([0, 2, 3, 4])
    order = np.insert(others, rng.integers(1, 4), 1)  # the best is neither first nor last
    plays_k = np.array([0, 2, 11, 5, 3.0])[order]
    mean_k = np.array([0, 90, 30, -20, 10.0])[order] + rng.uniform(0, 9, 5)
    usual = Members(plays_k * mean_k, plays_k)
    played = plays_k + 1
    first = np.argsort(plays_k > 0, kind="stable")  # who never played, then the others
    return {
        "the first has never played": Members(usual.total_k[first], plays_k[first]),
        "one has never played": usual,
        "all have played": Members(played * mean_k, played),
        "all returns below 0": Members(played * (mean_k - 150), played),
        "below 0, one has never played": Members(plays_k * (mean_k - 150), plays_k),
        "returns near 0": Members(played * mean_k / 500, played),
        "one member": Members(usual.total_k[plays_k == 5], plays_k[plays_k == 5]),
        "nobody has played": Members(np.zeros(3), np.zeros(3)),
    }


def moves(seed: int) -> Iterator[Moves]:
    """Moves sums and plays of the worst member, and of the best."""
    usual = cases(seed)["all have played"]
    order = np.argsort(usual.total_k / usual.plays_k)
    places = {" of the worst member": int(order[0]), " of the best member": int(order[-1])}
    yield Moves("regrets", usual, each_field(usual, places))


def observe(student: Student, case: Members) -> dict[str, Any]:
    """Returns the regret."""
    module: Any = student.module("agents.portfolio_agent")
    return {"regret": finite(module.regret(case.total_k, case.plays_k))}

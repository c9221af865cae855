"""Sums rewards up from each step on: paths of several lengths, sizes and discounts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograder.running.experiments import Moves, each_field
from autograder.running.probing import Student, plain_array


@dataclass(frozen=True)
class Path:
    """The rewards of a path, and how they are discounted."""

    reward_n: np.ndarray
    discount: float


def cases(seed: int) -> Mapping[str, Path]:
    """Returns what is tried: rewards are of both signs, not whole, and beyond what people clip."""
    rng = np.random.default_rng([285, 50, seed])
    signs = rng.permutation([1, 1, 1, -1, -1, 1, 1])
    path = Path(signs * rng.uniform(0.3, 1.7, 7), float(rng.uniform(0.5, 0.8)))
    return {
        "path": path,
        "large": replace(path, reward_n=20 * path.reward_n[::-1]),
        "undiscounted": replace(path, discount=1.0),
        "one_step": replace(path, reward_n=path.reward_n[:1]),
        "short-sighted": replace(path, discount=0.05),
        "discount of 0": replace(path, discount=0.0),
        "300 steps": Path(rng.uniform(0.5, 1.5, 300), 0.99),
    }


def moves(seed: int) -> Iterator[Moves]:
    """Moves rewards early, late and between; the discount where no reward cancels another."""
    path = cases(seed)["path"]
    yield Moves("sums", path, each_field(path, {"[0]": 0, "[3]": 3, "[6]": 6}, ["discount"]))
    path = replace(path, reward_n=abs(path.reward_n))
    yield Moves("sums", path, each_field(path, without=["reward_n"]))


def observe(student: Student, path: Path) -> dict[str, Any]:
    """Returns the sums, as an array's entries, and those of another path that is as long."""
    reward_to_go: Any = student.module("agents.returns").reward_to_go
    other = student.lend({"reward_n": path.reward_n[::-1] - 2})["reward_n"]
    sums = plain_array(reward_to_go(path.reward_n, path.discount))
    again = plain_array(reward_to_go(other, path.discount))
    return {"reward_to_go": sums, "the reward-to-go of another path": again}

"""Sums up the rewards of a path: of several lengths, sizes and discounts, one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograder.running.probing import Student, number_in

RESULTS = "returns"


@dataclass(frozen=True)
class Path:
    """The rewards of a path, and how they are discounted."""

    reward_n: np.ndarray
    discount: float


def cases(seed: int) -> Mapping[str, Path]:
    """Returns what is tried: rewards have both signs, and the last one is seen in each return."""
    rng = np.random.default_rng([285, 52, seed])
    signs = rng.permutation([1, 1, 1, -1, -1, 1, 1])
    path = Path(signs * rng.uniform(0.3, 1.7, 7), float(rng.uniform(0.6, 0.8)))
    long = Path(rng.uniform(0.5, 1.5, 1200), 0.998)
    return {
        "path": path,
        "large": replace(path, reward_n=300 * path.reward_n[::-1]),
        "undiscounted": replace(path, discount=1.0),
        "discount of 0": replace(path, discount=0.0),
        "one step": replace(path, reward_n=path.reward_n[:1]),
        "1,200 steps": long,
        "float32": replace(path, reward_n=path.reward_n.astype(np.float32)),
    }


def observe(student: Student, path: Path) -> dict[str, Any]:
    """Returns the return, and that of another path, whose rewards come in the same array."""
    discounted_return = student.module("agents.returns").discounted_return
    reward_n, changed, found = path.reward_n.copy(), False, []
    for contents in (path.reward_n, path.reward_n[::-1] + 1):
        reward_n[:] = contents
        found.append(number_in(discounted_return(reward_n, path.discount)))
        changed |= not np.array_equal(reward_n, contents)
    return {"return of a path": found, "rewards_changed": changed}

"""Sums rewards up from each step on: paths of several lengths, sizes and discounts."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograder.core import fingerprint
from autograder.probing import Student, plain_array


@dataclass(frozen=True)
class Path:
    """The rewards of a path, and how they are discounted."""

    rewards: np.ndarray
    discount: float


def cases(seed: int) -> dict[str, Path]:
    """Returns what is tried: rewards are of both signs, not whole, and beyond what people clip."""
    rng = np.random.default_rng([285, 50, seed])
    signs = rng.permutation([1, 1, 1, -1, -1, 1, 1])
    path = Path(signs * rng.uniform(0.3, 1.7, 7), float(rng.uniform(0.5, 0.8)))
    return {
        "path": path,
        "large": replace(path, rewards=20 * path.rewards[::-1]),
        "undiscounted": replace(path, discount=1.0),
        "one_step": replace(path, rewards=path.rewards[:1]),
    }


def probe(student: Student, seed: int) -> None:
    """Asks for the sums of each path, and whether its rewards are left alone."""
    student.try_moves("sums", functools.partial(moving, student, cases(seed)["path"]))
    for name, path in cases(seed).items():
        student.try_out(name, functools.partial(sum_up, student, path))


def moving(student: Student, path: Path, seen: dict[str, Any]) -> None:
    """What the sums depend on."""
    one = np.eye(len(path.rewards))
    moves = {f"reward_n[{t}]": replace(path, rewards=path.rewards + one[t]) for t in (0, 3, 6)}
    moves["discount"] = replace(path, rewards=abs(path.rewards), discount=path.discount + 0.1)
    returns: Any = student.module("infrastructure.returns")

    def sums(path: Path) -> np.ndarray:
        return plain_array(returns.reward_to_go(path.rewards.copy(), path.discount))

    fingerprint.note(seen, sums, path, moves)


def sum_up(student: Student, path: Path, seen: dict[str, Any]) -> None:
    """Notes the sums, as an array's entries: other kinds of sequences go as well."""
    returns: Any = student.module("infrastructure.returns")
    given = path.rewards.copy()
    seen["reward_to_go"] = plain_array(returns.reward_to_go(given, path.discount))
    seen["rewards_changed"] = not np.array_equal(given, path.rewards)

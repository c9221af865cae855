"""Estimates GAE: three paths end to end, one that ended, one that was cut, one that ended."""

from __future__ import annotations

import functools
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from autograder.core import fingerprint
from autograder.probing import Student, plain_array

LENGTHS = (4, 3, 2)
ENDED = (True, False, True)
ROWS = sum(LENGTHS)


@dataclass(frozen=True)
class Rollouts:
    """The arguments of `generalized_advantages`, by their names there."""

    reward_n: np.ndarray
    value_n: np.ndarray
    next_value_n: np.ndarray
    terminal_n: np.ndarray
    path_ends_n: np.ndarray
    discount: float
    gae_lambda: float

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """Copies of those that are arrays."""
        return {k: v.copy() for k, v in vars(self).items() if isinstance(v, np.ndarray)}


def rollouts(seed: int) -> Rollouts:
    """Draws rewards and values of both signs. Within a path V(s') is the next row's V(s)."""
    rng = np.random.default_rng([285, 51, seed])
    signs = rng.permuted(np.resize([1, -1, 1], (2, ROWS)), axis=1)
    reward_n, value_n = signs * rng.uniform(0.3, 1.7, (2, ROWS))
    ends = np.zeros(ROWS, np.bool_)
    ends[np.cumsum(LENGTHS) - 1] = True
    terminal_n = np.zeros(ROWS)
    terminal_n[ends] = ENDED
    unseen = rng.uniform(2.0, 3.0, ROWS)  # what a critic says of states that no row begins in
    next_value_n = np.where(ends, unseen, np.append(value_n[1:], 0.0))
    discount, gae_lambda = rng.uniform(0.8, 0.9), rng.uniform(0.5, 0.6)
    return Rollouts(
        reward_n, value_n, next_value_n, terminal_n, ends, float(discount), float(gae_lambda)
    )


def cases(seed: int) -> dict[str, Rollouts]:
    """Returns what is tried: both ends of lambda, large numbers, no end, one step alone."""
    usual = rollouts(seed)
    of_rows = {"reward_n", "value_n", "next_value_n"}
    large: dict[str, Any] = {
        name: 20 * array for name, array in usual.arrays.items() if name in of_rows
    }
    last: dict[str, Any] = {name: array[-1:] for name, array in usual.arrays.items()}
    return {
        "usual": usual,
        "one-step": replace(usual, gae_lambda=0.0),
        "whole": replace(usual, gae_lambda=1.0, discount=1.0),
        "large": replace(usual, **large),
        "cut": replace(usual, terminal_n=np.zeros(ROWS)),
        "one_row": replace(usual, **last),
    }


def probe(student: Student, seed: int) -> None:
    """Asks for the advantages of each case, and whether the arguments are left alone."""
    student.try_moves("advantages", functools.partial(moving, student, rollouts(seed)))
    for name, case in cases(seed).items():
        student.try_out(name, functools.partial(estimate, student, name, case))


def moving(student: Student, case: Rollouts, seen: dict[str, Any]) -> None:
    """What the advantages depend on: each argument, at an end, at a cut and elsewhere."""
    places = {"": 1, " where an episode ended": 3, " where a path was cut": 6}
    moves = {}
    for name, array in case.arrays.items():
        for where, row in places.items():
            moved: Any = array.copy()
            moved[row] = (
                1 - moved[row] if name.endswith(("terminal_n", "ends_n")) else array[row] + 1
            )
            moves[name + where] = replace(case, **{name: moved})
    moves |= {k: replace(case, **{k: getattr(case, k) + 0.1}) for k in ("discount", "gae_lambda")}
    returns: Any = student.module("infrastructure.returns")

    def advantages(case: Rollouts) -> np.ndarray:
        return plain_array(returns.generalized_advantages(**asdict(case)))

    fingerprint.note(seen, advantages, case, moves)


def estimate(student: Student, name: str, case: Rollouts, seen: dict[str, Any]) -> None:
    """Notes the advantages, of which only their entries matter."""
    returns: Any = student.module("infrastructure.returns")
    given, before = case.arrays, case.arrays
    adv_n = returns.generalized_advantages(*given.values(), case.discount, case.gae_lambda)
    seen["adv_n"] = plain_array(adv_n)
    if name == "usual":  # what is changed to what it was elsewhere, would not show there
        seen["inputs_changed"] = any(not np.array_equal(before[k], given[k]) for k in given)

"""Estimates GAE: three paths end to end, one that ended, one that was cut, one that ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograder.running.experiments import Moves, arrays_of, each_field
from autograder.running.probing import Student, plain_array

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


def cases(seed: int) -> Mapping[str, Rollouts]:
    """Returns what is tried: both ends of lambda, large numbers, no end, one step alone."""
    usual = rollouts(seed)
    large: dict[str, Any] = {
        name: 20 * getattr(usual, name) for name in ("reward_n", "value_n", "next_value_n")
    }
    last: dict[str, Any] = {name: array[-1:] for name, array in arrays_of(usual).items()}
    return {
        "usual": usual,
        "one-step": replace(usual, gae_lambda=0.0),
        "whole": replace(usual, gae_lambda=1.0, discount=1.0),
        "large": replace(usual, **large),
        "cut": replace(usual, terminal_n=np.zeros(ROWS)),
        "one_row": replace(usual, **last),
        "short-sighted": replace(usual, discount=0.0),
    }


def moves(seed: int) -> Iterator[Moves]:
    """Moves each argument: at an end, at a cut and elsewhere."""
    places = {"": 1, " where an episode ended": 3, " where a path was cut": 6}
    usual = rollouts(seed)
    yield Moves("advantages", usual, each_field(usual, places))


def observe(student: Student, case: Rollouts) -> dict[str, Any]:
    """Returns the advantages, of which only their entries matter; and those of other rewards."""
    advantages: Any = student.module("agents.returns").generalized_advantages
    other = student.lend({**arrays_of(case), "reward_n": 1 - 2 * case.reward_n})
    adv_n = plain_array(advantages(**vars(case)))
    return {"adv_n": adv_n, "advantages of other rewards": advantages(**{**vars(case), **other})}

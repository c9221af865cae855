"""What the rules are probed with: arms, scores in [0, 1], who is chosen, where a choice turns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.running.probing import number_in, plain_array

NUM_ARMS = 5
HALVINGS = 16  # leave 0.02 % of a number
SECONDS = 1.0  # of a trial that may hold an endless loop; it takes milliseconds


@dataclass(frozen=True)
class Plays:
    """Who plays and how well, one after the other."""

    num_arms: int
    arm_n: np.ndarray
    x_n: np.ndarray

    def each(self) -> list[tuple[int, float]]:
        """Returns the plays one by one."""
        return list(zip(self.arm_n.tolist(), self.x_n.tolist(), strict=True))


def plays(seed: int, number: int, num_arms: int = NUM_ARMS) -> Plays:
    """Draws who plays and how well; one arm plays often, and some scores are 0 or 1."""
    rng = np.random.default_rng([285, 62, seed, number])
    often = int(rng.integers(num_arms))
    arm_n = np.where(rng.random(number) < 0.4, often, rng.integers(num_arms, size=number))
    x_n = rng.uniform(0.1, 0.9, number)
    x_n[rng.random(number) < 0.1] = 0.0
    x_n[rng.random(number) < 0.1] = 1.0
    return Plays(num_arms, arm_n, x_n)


def finite(value: Any) -> np.ndarray:
    """Returns numbers as an array; since nan equals nothing, another number comes in its place."""
    array: np.ndarray = np.nan_to_num(plain_array(value), nan=-1e6, posinf=1e6, neginf=-1e7)
    return array


def chosen(rule: Any, draws: int) -> np.ndarray:
    """Returns which arms a rule chooses in some draws; the last entry: whether anything else."""
    found = np.zeros(rule.num_arms + 1, np.bool_)
    for _ in range(draws):
        arm = number_in(rule.choose())
        found[int(arm) if arm in range(rule.num_arms) else -1] = True
    return found


def turn(holds: Callable[[float], bool]) -> float:
    """Returns the number from 0.001 to 1000 up to which something holds; 0 if it never does."""
    low, high = np.log(0.001), np.log(1000.0)
    if not holds(0.001):
        return 0.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(float(np.exp(middle))) else (low, middle)
    return float(np.exp(low))

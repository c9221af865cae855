"""Asks at many updates whether it is the actor's turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.running.probing import Student


@dataclass(frozen=True)
class Updates:
    """Numbers of updates, in the order in which they are asked about."""

    numbers: tuple[int, ...]
    policy_delay: int


def cases(seed: int) -> Mapping[str, Updates]:
    """Returns what is tried: several delays, a long training, and a run that goes back."""
    first = tuple(range(1, 25))
    mixed = np.random.default_rng([285, 87, seed]).permutation(first).tolist()
    late = tuple(range(3_000_000, 3_000_012))
    return {
        **{f"delay {delay}": Updates(first, delay) for delay in (2, 1, 3, 4, 7, 10)},
        "late in a long training": Updates(late, 3),
        "in another order": Updates(tuple(mixed), 3),
    }


def observe(student: Student, case: Updates) -> dict[str, Any]:
    """Returns the answers, of which `update` asks only whether they are true."""
    is_actors_turn = student.module("agents.td3_agent").is_actors_turn
    turns = [bool(is_actors_turn(number, case.policy_delay)) for number in case.numbers]
    return {"turn": turns}

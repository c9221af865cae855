"""Scales directions to the edge of trust regions, in float64: long and short ones, and none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from autograder.homeworks.hw5.fakes.calls import after_others, finite
from autograder.running.probing import Student

RESULTS = "steps"


@dataclass(frozen=True)
class Direction:
    """The arguments of `scale_to_trust_region`."""

    direction: np.ndarray
    h_direction: np.ndarray
    max_kl: float


def cases(seed: int) -> Mapping[str, Direction]:
    """Returns what is tried: flat and steep curvature, small and large regions, no direction."""
    rng = np.random.default_rng([285, 98, seed])
    x = rng.uniform(0.3, 1.7, 7) * np.resize([1, -1, -1], 7)
    turned, _ = np.linalg.qr(rng.normal(size=(7, 7)))
    usual = Direction(x, turned * np.geomspace(0.4, 4.0, 7) @ turned.T @ x, 0.03)
    return {
        "usual": usual,
        "a large region": replace(usual, max_kl=0.9),
        "a long direction": Direction(100 * x, 100 * usual.h_direction, 0.001),
        "a short direction": Direction(0.1 * x, 0.1 * usual.h_direction, 0.9),
        "steep": replace(usual, h_direction=100 * usual.h_direction),
        "flat": Direction(x, 0.01 * usual.h_direction, 3.0),
        "one weight": Direction(x[:1], 2.5 * x[:1], 0.03),
        "no direction": Direction(0 * x, 0 * x, 0.03),
    }


def observe(student: Student, case: Direction) -> dict[str, Any]:
    """Returns the step. Only the function has these tensors, as in `update`."""
    scale = student.module("agents.trpo_agent").scale_to_trust_region
    x, h_x = torch.tensor(case.direction), torch.tensor(case.h_direction)
    after_others(lambda other: scale(other, 2 * other, 0.5), x)
    return finite({"the step": scale(x, h_x, case.max_kl)})

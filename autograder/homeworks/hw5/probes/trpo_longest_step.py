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
    direction = rng.uniform(0.3, 1.7, 7) * np.resize([1, -1, -1], 7)
    turned, _ = np.linalg.qr(rng.normal(size=(7, 7)))
    usual = Direction(direction, turned * np.geomspace(0.4, 4.0, 7) @ turned.T @ direction, 0.03)
    return {
        "usual": usual,
        "a large region": replace(usual, max_kl=0.9),
        "a small region": replace(usual, max_kl=1e-3),
        "a long direction": Direction(100 * direction, 100 * usual.h_direction, 0.03),
        "a short direction": Direction(0.1 * direction, 0.1 * usual.h_direction, 0.9),
        "steep": replace(usual, h_direction=100 * usual.h_direction),
        "one weight": Direction(direction[:1], 2.5 * direction[:1], 0.03),
        "no direction": Direction(0 * direction, 0 * direction, 0.03),
    }


def observe(student: Student, case: Direction) -> dict[str, Any]:
    """Returns the step. Only the function has these tensors, as in `update`."""
    scale = student.module("agents.trpo_agent").scale_to_trust_region
    vectors = (torch.tensor(case.direction), torch.tensor(case.h_direction))
    return {"the step": finite(scaled(scale, *vectors, case.max_kl))}


def scaled(function: Any, direction: torch.Tensor, h_direction: torch.Tensor, edge: float) -> Any:
    """Asks for the step after others, all of which have a curvature above 0."""
    after_others(lambda x: function(x, 2 * x, 0.5), direction)
    return function(direction, h_direction, edge)

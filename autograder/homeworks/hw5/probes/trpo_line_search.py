"""Searches along steps in float64: taken at once, after steps back, never, and with nan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from autograder.homeworks.hw5.fakes.calls import finite
from autograder.homeworks.hw5.fakes.hills import Hill
from autograder.running.probing import Student

CASES: Mapping[str, Mapping[str, Any]] = {
    "taken at once": {},
    "too far for a surrogate above 0": {"turn": 0.7, "before": 2.3},
    "too far for the region": {"edge": 0.45},
    "too far for both": {"turn": 0.7, "edge": 0.33},
    "halves": {"turn": 0.55, "shrink": 0.5, "steps": 3},
    "the last length": {"edge": 0.26, "shrink": 0.5, "steps": 3},
    "one length too few": {"edge": 0.24, "shrink": 0.5, "steps": 3},
    "one length alone, too long": {"edge": 0.9, "steps": 1},
    "the wrong way": {"slope": -0.7},
    "never within the region": {"edge": 0.05},
    "no gain": {"slope": 0.0},
    "a gain of 0.0001": {"slope": 3e-4},
    "just within the region": {"edge": 1.01},
    "just outside of the region": {"edge": 0.99},
    "a large region": {"edge": 0.6, "max_kl": 2.0},
    "nan at first": {"nan_beyond": 0.55},
    "the divergence is nan at first": {"nan_beyond": 0.7, "nan_in": "kl"},
    "the surrogate is nan at first": {"nan_beyond": 0.7, "nan_in": "objective"},
    "nan at the whole step alone": {"nan_beyond": 0.9, "nan_until": 1.1, "turn": 9.0, "edge": 9.0},
    "nan everywhere": {"nan_beyond": 0.0},
}


def cases(seed: int) -> Mapping[str, Hill]:
    """Returns what is tried: each branch, by each of the two conditions."""
    rng = np.random.default_rng([285, 99, seed])
    usual = Hill(*(rng.uniform(0.3, 1.7, (2, 5)) * rng.choice([-1, 1], (2, 5))))
    return {name: replace(usual, **changed) for name, changed in CASES.items()}


def observe(student: Student, case: Hill) -> dict[str, Any]:
    """Returns where the search ends, after a search of another step in the same tensors."""
    module, hill = student.module("agents.trpo_agent"), replace(case, start=case.start.copy())
    more = {"line_search_shrink": case.shrink, "line_search_steps": case.steps}
    settings = student.module("configs.trpo").TRPOConfig(max_kl=case.max_kl, **more)
    start, step = torch.as_tensor(case.start), torch.zeros(5, dtype=torch.float64)
    for sign in (-1, 1):
        step.copy_(torch.as_tensor(sign * case.step))
        theta, fraction = module.line_search(hill.objective_and_kl, start, step, settings)
    return finite({"the weights": theta, "the fraction": fraction})

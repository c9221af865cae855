"""Searches along steps in float64: taken at once, after steps back, never, and with nan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from autograder.homeworks.hw5.fakes.calls import finite
from autograder.running.probing import Student


@dataclass(frozen=True)
class Search:
    """A step, and how surrogate and divergence change along it; t is 1 at its end."""

    start: np.ndarray
    step: np.ndarray
    turn: float = 1.5  # beyond this t the surrogate is lower than at the start
    edge: float = 1.5  # beyond this t the divergence is above `max_kl`
    before: float = -2.0
    slope: float = 0.7
    nan_beyond: float = np.inf  # this t
    nan_until: float = np.inf
    nan_in: str = "both"
    max_kl: float = 0.03
    shrink: float = 0.8
    steps: int = 10


def cases(seed: int) -> Mapping[str, Search]:
    """Returns what is tried: each branch, by each of the two conditions."""
    rng = np.random.default_rng([285, 99, seed])
    start, step = rng.uniform(0.3, 1.7, (2, 5)) * rng.choice([-1, 1], (2, 5))
    usual = Search(start, step)
    rows = {
        "taken at once": {},
        "too far for the surrogate": {"turn": 0.7},
        "too far for the region": {"edge": 0.45},
        "too far for both, a surrogate above 0": {"turn": 0.7, "edge": 0.33, "before": 2.0},
        "halves": {"turn": 0.55, "shrink": 0.5, "steps": 3},
        "the last length": {"edge": 0.26, "shrink": 0.5, "steps": 3},
        "one length too few": {"edge": 0.24, "shrink": 0.5, "steps": 3},
        "one length alone, too long": {"edge": 0.9, "steps": 1},
        "the wrong way": {"slope": -0.7},
        "never within the region": {"edge": 0.05},
        "no gain": {"slope": 0.0},
        "exactly at the edge": {"edge": 1.0},
        "a large region": {"edge": 0.6, "max_kl": 2.0},
        "nan at first": {"nan_beyond": 0.55},
        "the divergence is nan at first": {"nan_beyond": 0.7, "nan_in": "kl"},
        "the surrogate is nan at first": {"nan_beyond": 0.7, "nan_in": "objective"},
        "nan at the whole step alone": {"nan_beyond": 0.9, "nan_until": 1.1, "turn": 9, "edge": 9},
        "nan everywhere": {"nan_beyond": 0.0},
    }
    return {name: replace(usual, **changed) for name, changed in rows.items()}


def observe(student: Student, case: Search) -> dict[str, Any]:
    """Returns where the search ends, after a search from elsewhere in the same tensors."""
    module = student.module("agents.trpo_agent")
    more = {"line_search_shrink": case.shrink, "line_search_steps": case.steps}
    settings = module.TRPOSettings(2, 2, True, max_kl=case.max_kl, **more)
    start, step = torch.as_tensor(case.start), torch.tensor(case.step)
    begin, whole = start.clone(), step.clone()

    def objective_and_kl(theta: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        away = theta - begin
        t = float(away @ whole / (whole @ whole))
        kl = float(away @ away / (whole @ whole)) * case.max_kl / case.edge**2
        objective = case.before + case.slope * t * (1 - t / case.turn)
        if case.nan_until > t > case.nan_beyond:
            objective = objective if case.nan_in == "kl" else np.nan
            kl = kl if case.nan_in == "objective" else np.nan
        kl = case.max_kl if abs(kl - case.max_kl) < 1e-9 else kl
        return torch.tensor(objective, dtype=torch.float64), torch.tensor(kl, dtype=torch.float64)

    for earlier in (True, False):
        start.copy_(begin + 1 if earlier else begin)
        step.copy_(-whole if earlier else whole)
        theta, fraction = module.line_search(objective_and_kl, start, step, settings)
    return {"the weights": finite(theta), "the fraction": finite(fraction)}

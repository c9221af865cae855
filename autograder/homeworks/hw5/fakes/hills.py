"""How a surrogate and a divergence change along a step: two parabolas, with holes of nan."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch


@dataclass(frozen=True)
class Hill:
    """A step, at whose end t is 1, and what is found along it."""

    start: np.ndarray
    step: np.ndarray
    turn: float  # beyond this t the surrogate is lower than at the start
    edge: float  # beyond this t the divergence is above `max_kl`
    before: float  # the surrogate at the start
    slope: float  # of the surrogate there
    nan_beyond: float  # this t
    nan_until: float
    nan_in: str  # "kl", "objective" or "both"
    max_kl: float

    def objective_and_kl(self, theta: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Returns surrogate and divergence at some weights, scalars of float64."""
        away, whole = theta.numpy() - self.start, self.step
        t = float(away @ whole / (whole @ whole))
        kl = float(away @ away / (whole @ whole)) * self.max_kl / self.edge**2
        if abs(kl - self.max_kl) < 1e-9:  # rounding does not decide where the edge is
            kl = self.max_kl
        objective = self.before + self.slope * t * (1 - t / self.turn)
        if self.nan_beyond < t < self.nan_until:
            objective = objective if self.nan_in == "kl" else np.nan
            kl = kl if self.nan_in == "objective" else np.nan
        return torch.tensor(objective, dtype=torch.float64), torch.tensor(kl, dtype=torch.float64)

"""What works in the place of other blanks: functions of the same kind, none of them a solution."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch

from autograder.running.experiments import replaced
from autograder.running.probing import Student


def instead(
    student: Student, functions: Mapping[str, Callable[..., Any]]
) -> contextlib.AbstractContextManager[None]:
    """Puts functions in the place of those of PPO's agent, and of homework 2, for a while."""
    return replaced(student, ("agents.ppo_agent", "agents.returns"), functions)


def gae(
    reward_n: Any,
    value_n: Any,
    next_value_n: Any,
    terminal_n: Any,
    path_ends_n: Any,
    discount: float,
    gae_lambda: float,
) -> np.ndarray:
    """Solves GAE's equations all at once, in the place of homework 2's blank."""
    columns = (np.asarray(x, np.float64) for x in (reward_n, value_n, next_value_n, terminal_n))
    r_n, v_n, v_next_n, ended_n = columns
    error_n = r_n - v_n + discount * v_next_n * (1 - ended_n)
    goes_on_n = np.where(path_ends_n, 0.0, discount * gae_lambda)[:-1]
    advantages: np.ndarray = np.linalg.solve(np.eye(len(r_n)) - np.diag(goes_on_n, 1), error_n)
    return advantages


def half(adv_n: torch.Tensor) -> torch.Tensor:
    """Scales advantages, in the place of `standardize`."""
    return adv_n / 2


def largest(log_ratio_n: torch.Tensor) -> torch.Tensor:
    """Measures how far a policy has moved, in the place of `kl_estimate`."""
    return log_ratio_n.abs().max()


def unclipped(log_ratio_n: torch.Tensor, adv_n: torch.Tensor, clip_ratio: float) -> torch.Tensor:
    """Returns a loss with a gradient, in the place of `clipped_surrogate_loss`."""
    return -(log_ratio_n @ adv_n) / 7


Functions = Mapping[str, Callable[..., Any]]
OF_UPDATE: Functions = {
    "standardize": half,
    "kl_estimate": largest,
    "clipped_surrogate_loss": unclipped,
}
OF_ADVANTAGE: Functions = {"generalized_advantages": gae}

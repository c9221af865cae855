"""What works in the place of other blanks: functions of the same kind, none of them a solution."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import Any

import torch

from autograder.homeworks.hw2.fakes.pg import weighed
from autograder.running.experiments import replaced
from autograder.running.probing import Student


def instead(
    student: Student, functions: Mapping[str, Callable[..., Any]]
) -> contextlib.AbstractContextManager[None]:
    """Puts functions in the place of those of PPO's agent, and of homework 2, for a while."""
    return replaced(student, ("agents.ppo_agent", "agents.returns"), functions)


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
OF_ADVANTAGE: Functions = {"generalized_advantages": weighed}

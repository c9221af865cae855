"""Asks how far a policy has moved: log ratios of either sign, of one row and of many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from autograder.homeworks.hw5.fakes.calls import after_others, finite
from autograder.running.probing import Student

RESULTS = "estimates"


@dataclass(frozen=True)
class Minibatch:
    """How much likelier each action has become."""

    log_ratio_n: np.ndarray


def cases(seed: int) -> Mapping[str, Minibatch]:
    """Returns what is tried: steps of either sign, short and long."""
    rng = np.random.default_rng([285, 92, seed])
    usual = rng.uniform(0.3, 1.2, 7) * np.resize([1, -1, -1], 7)
    log_ratios = {
        "usual": usual,
        "all likelier": abs(usual),
        "all less likely": -abs(usual),
        "a short step": 0.1 * usual,
        "a long step": 5 * usual,
        "no step": 0 * usual,
        "one row": usual[:1],
        "256 rows": rng.normal(0, 0.4, 256),
    }
    return {name: Minibatch(numbers.astype(np.float32)) for name, numbers in log_ratios.items()}


def observe(student: Student, case: Minibatch) -> dict[str, Any]:
    """Returns the estimate; the log ratios that it is made of are those of the loss as well."""
    kl_estimate = student.module("agents.ppo_agent").kl_estimate
    kl = after_others(kl_estimate, torch.as_tensor(case.log_ratio_n))
    return finite({"the estimate": kl, "no_tensor": not hasattr(kl, "item")})

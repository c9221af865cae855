"""Asks for TRPO's surrogate: at the old policy and away from it, and for its gradient."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from autograder.homeworks.hw5.fakes.calls import after_others, finite, gradient
from autograder.running.probing import Student

RESULTS = "surrogates"


@dataclass(frozen=True)
class Batch:
    """The arguments of `surrogate`."""

    log_prob_n: np.ndarray
    old_log_prob_n: np.ndarray
    adv_n: np.ndarray


def cases(seed: int) -> Mapping[str, Batch]:
    """Returns what is tried: actions that became likelier or less likely, good and bad ones."""
    rng = np.random.default_rng([285, 95, seed])
    signs = np.resize([1, -1, -1], (3, 11)) * [[1], [-1], [1]]
    change, old, adv_n = (signs * rng.uniform(0.3, 1.3, (3, 11))).astype(np.float32)
    usual = Batch(old + change, old, adv_n + 0.25)
    many = rng.normal(0, 0.5, (3, 256)).astype(np.float32)
    return {
        "usual": usual,
        "at the old policy": replace(usual, log_prob_n=old),
        "likelier": replace(usual, log_prob_n=old + abs(change)),
        "densities": replace(usual, log_prob_n=usual.log_prob_n + 4, old_log_prob_n=old + 4),
        "advantages of hundreds": replace(usual, adv_n=300 * (adv_n + 1)),
        "far from the old policy": replace(usual, log_prob_n=old + 5 * change),
        "256 rows": Batch(*many),
        "one row": Batch(*(array[:1] for array in vars(usual).values())),
    }


def observe(student: Student, case: Batch) -> dict[str, Any]:
    """Returns the surrogate, its gradient, and its value where no gradient is asked for."""
    surrogate = student.module("agents.trpo_agent").surrogate
    leaf = torch.tensor(case.log_prob_n).requires_grad_()
    constants = (torch.as_tensor(case.old_log_prob_n), torch.as_tensor(case.adv_n))
    objective = after_others(surrogate, 1 * leaf, *constants)
    with torch.no_grad():  # as in the line search
        value = surrogate(1 * leaf, *constants)
    return finite(
        {
            "the surrogate": objective,
            "the gradient by `log_prob_n`": gradient(objective, leaf),
            "the surrogate in the line search": value,
        }
    )

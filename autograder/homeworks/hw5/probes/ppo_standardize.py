"""Standardises minibatches: of many rows, of two and one, of rows that are all the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from autograder.homeworks.hw5.fakes.calls import after_others, finite
from autograder.running.probing import Student

RESULTS, OUTLIER = "advantages", 40.0


@dataclass(frozen=True)
class Minibatch:
    """The advantages of a minibatch."""

    adv_n: np.ndarray


def cases(seed: int) -> Mapping[str, Minibatch]:
    """Returns what is tried: sizes of advantages and of minibatches."""
    rng = np.random.default_rng([285, 90, seed])
    usual = 0.6 + rng.uniform(0.3, 1.7, 7) * np.resize([1, -1, -1], 7)
    batches = {
        "usual": usual,
        "hundreds": 300 * usual,
        "small": 0.1 * usual,
        "far above 0": usual + 200,
        "far below 0": usual - 200,
        "256 rows, one far off": np.append(rng.normal(size=255), OUTLIER),
        "two rows": usual[:2],
        "one row": usual[:1],
        "all rows the same": np.full(6, 2.5),
    }
    return {name: Minibatch(adv_n.astype(np.float32)) for name, adv_n in batches.items()}


def observe(student: Student, case: Minibatch) -> dict[str, Any]:
    """Returns the standardised advantages. Only the function has these tensors, as in `update`."""
    standardize = student.module("agents.ppo_agent").standardize
    return finite({"advantages": after_others(standardize, torch.tensor(case.adv_n))})

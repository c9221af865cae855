"""Asks for the chances of EXP3: weights alike, apart, and too far apart for numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.running.probing import Student, plain_array

RESULTS = "chances"


@dataclass(frozen=True)
class Weights:
    """What a rule holds: logarithms of the weights, and gamma."""

    log_w_k: np.ndarray
    gamma: float


def cases(seed: int) -> Mapping[str, Weights]:
    """Returns what is tried; no weight is 1, and their sum is no whole number."""
    rng = np.random.default_rng([285, 63, seed])
    log_w_k, gamma = rng.uniform(0.2, 2.0, 6), float(rng.uniform(0.1, 0.3))
    return {
        "weights apart": Weights(log_w_k, gamma),
        "equal weights": Weights(np.full(4, log_w_k[0]), gamma),
        "one weight far above all": Weights(np.array([5.0, 900.0, 0.0]) + gamma, gamma),
        "gamma 0": Weights(log_w_k[1:], 0.0),
        "gamma 1": Weights(log_w_k[:3], 1.0),
        "one arm": Weights(log_w_k[:1], gamma),
    }


def observe(student: Student, case: Weights) -> dict[str, Any]:
    """Returns the chances, and whether the rule has other weights now."""
    selectors: Any = student.module("agents.selectors")
    rule = selectors.EXP3(len(case.log_w_k), 0)
    rule.log_w_k, rule.gamma = case.log_w_k.copy(), case.gamma
    chances = plain_array(rule.probs())
    return {"p_k": chances, "weights_changed": not np.array_equal(rule.log_w_k, case.log_w_k)}

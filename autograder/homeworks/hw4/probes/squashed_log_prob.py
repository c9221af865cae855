"""Asks for the density of squashed actions, also far out, and follows its gradients.

Numbers are compared with those of our solution. A test compares these with exact ones, computed in
float64: they agree within 1e-5 of the number, as they are kept with six digits. Accepted is what
differs by at most 1e-3 of the number plus 1e-5. All right forms in float32 err by less than a
twentieth of that, even one that computes the mean anew from u with a deviation of exp(-5).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from autograder.homeworks.hw4.fakes import losses
from autograder.running.probing import Student, plain_array

STATES, ACTIONS = 7, 3
RESULTS = "log-probabilities"


@dataclass(frozen=True)
class Sample:
    """What was drawn before it is squashed, (states, actions)."""

    u_na: np.ndarray
    noise_na: np.ndarray
    log_std_na: np.ndarray


def cases(seed: int) -> Mapping[str, Sample]:
    """Returns what is tried: u up to 60 on both sides, deviations from exp(-15) to exp(2)."""
    rng = np.random.default_rng([285, 87, seed])
    numbers = rng.uniform(0.3, 1.7, (3, STATES, ACTIONS)) * rng.choice(
        [-1, 1], (3, STATES, ACTIONS)
    )
    usual = Sample(*numbers.astype(np.float32))
    ones, signs = np.ones((STATES, ACTIONS), np.float32), np.sign(usual.u_na)
    far = replace(usual, u_na=signs * rng.uniform(8.0, 20.0, signs.shape).astype(np.float32))
    far.u_na[:, 0] = 20 * signs[:, 0]
    narrowest = Sample(np.exp(np.float32(-15)) * usual.noise_na, usual.noise_na, -15 * ones)
    return {
        "usual": usual,
        "far out": far,
        "farther out": replace(usual, u_na=60 * signs),
        "narrowest": narrowest,
        "far out, narrow": replace(far, log_std_na=-5 * ones),
        "narrow": replace(usual, log_std_na=-5 * ones),
        "wide": replace(usual, log_std_na=2 * ones),
        "near 0": replace(usual, u_na=usual.u_na / 100, noise_na=usual.noise_na / 100),
        "one component": Sample(*(array[:, :1] for array in vars(usual).values())),
        "one row": Sample(*(array[:1] for array in vars(usual).values())),
        "as many rows as components": Sample(*(array[:ACTIONS] for array in vars(usual).values())),
    }


def observe(student: Student, case: Sample) -> dict[str, Any]:
    """Returns the log-probabilities, and their gradients by u and by the deviation's logarithm."""
    squashed_log_prob = student.module("policies.squashed_policy").squashed_log_prob
    leaves = [torch.tensor(array, requires_grad=True) for array in (case.u_na, case.log_std_na)]
    u_na, log_std_na = (leaf.clone() for leaf in leaves)
    log_prob_n = squashed_log_prob(u_na, torch.as_tensor(case.noise_na), log_std_na)
    by_name = dict(zip(("gradient by u", "gradient by log std"), leaves, strict=True))
    weights = torch.arange(1.0, len(log_prob_n) + 1)  # of the rows, which differ
    return {
        "log_prob_n": plain_array(log_prob_n),
        **losses.gradients(weights * log_prob_n, by_name),
        "inputs_changed": not all(map(torch.equal, (u_na, log_std_na), leaves)),
    }

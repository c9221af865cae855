"""Asks for SAC's actions made of given noise, and follows gradients back to mean and deviation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from autograder.homeworks.hw4.fakes import losses
from autograder.running import draws
from autograder.running.probing import Student, plain_array

STATES, ACTIONS = 7, 3
RESULTS = "samples"


@dataclass(frozen=True)
class Gaussian:
    """Means, logarithms of deviations, and noise, (states, actions)."""

    mean_na: np.ndarray
    log_std_na: np.ndarray
    noise_na: np.ndarray


def cases(seed: int) -> Mapping[str, Gaussian]:
    """Returns what is tried: deviations within their bounds and at them, small and large u."""
    rng = np.random.default_rng([285, 86, seed])
    numbers = rng.uniform(0.3, 1.2, (3, STATES, ACTIONS)) * rng.choice(
        [-1, 1], (3, STATES, ACTIONS)
    )
    usual = Gaussian(*numbers.astype(np.float32))
    ones = np.ones((STATES, ACTIONS), np.float32)
    return {
        "usual": usual,
        "narrow": replace(usual, log_std_na=-5 * ones),
        "narrowest": replace(usual, log_std_na=-20 * ones),
        "widest": replace(usual, log_std_na=2 * ones, noise_na=usual.noise_na / 4),
        "far out": replace(usual, mean_na=16 * usual.mean_na),
        "farther out": replace(usual, mean_na=60 * usual.mean_na),
        "narrow, much noise": Gaussian(0 * ones, -12 * ones, 1e5 * usual.noise_na),
        "no noise": replace(usual, noise_na=0 * ones),
        "one component": Gaussian(*(array[:, :1] for array in vars(usual).values())),
        "one row": Gaussian(*(array[:1] for array in vars(usual).values())),
    }


def observe(student: Student, case: Gaussian) -> dict[str, Any]:
    """Returns u and a, where their gradients lead, and what has changed.

    Mean and deviation are parts of one tensor and clamped, as the network's are.
    """
    squash = student.module("policies.squashed_policy").squash
    mean, log_std = (torch.tensor(x, requires_grad=True) for x in (case.mean_na, case.log_std_na))
    noise_na = torch.as_tensor(case.noise_na)

    def given() -> tuple[torch.Tensor, torch.Tensor]:
        mean_na, log_std_na = torch.cat([mean, log_std], dim=1).chunk(2, dim=1)
        return mean_na, log_std_na.clamp(-20.0, 2.0)

    mean_na, log_std_na = given()
    first, again = squash(mean_na, log_std_na, noise_na), squash(*given(), noise_na)
    u_na, ac_na = (plain_array(result) for result in first)
    same = all(map(draws.repeated, (u_na, ac_na), map(plain_array, again)))
    unchanged = torch.equal(mean_na, mean) and torch.equal(log_std_na, log_std)
    record = {"u_na": u_na, "ac_na": ac_na, "not_repeatable": not same}
    leaves = {"the mean": mean, "the logarithm of the deviation": log_std}
    for name, result in (("u", first[0]), ("the action", again[1])):  # of a graph each
        named = {f"gradient of {name} by {what}": leaf for what, leaf in leaves.items()}
        record |= losses.gradients(result, named)
    return record | {"inputs_changed": not unchanged}

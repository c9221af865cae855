"""Asks for the loss of SAC's temperature, and for its gradient by the temperature's logarithm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from autograder.homeworks.hw4.fakes import losses
from autograder.running.probing import Student

RESULTS, ROWS = "losses", 11


@dataclass(frozen=True)
class Entropy:
    """The temperature's logarithm, what was drawn, and how much entropy is wanted."""

    log_alpha: np.ndarray
    log_pi_n: np.ndarray
    target_entropy: float


def cases(seed: int) -> Mapping[str, Entropy]:
    """Returns what is tried: too little entropy and too much, temperatures above 1 and below."""
    rng = np.random.default_rng([285, 85, seed])
    log_pi_n = (rng.uniform(0.3, 1.7, ROWS) * rng.choice([-1, 1], ROWS) + 0.8).astype(np.float32)
    usual = Entropy(np.array([-0.7], np.float32), log_pi_n, -float(rng.uniform(2.1, 2.9)))
    much = replace(usual, log_pi_n=log_pi_n - 6)
    return {
        "too much entropy": much,
        "too little entropy": replace(usual, log_pi_n=log_pi_n + 6),
        "hot": replace(usual, log_alpha=np.array([1.6], np.float32)),
        "at first": replace(usual, log_alpha=np.array([0.0], np.float32)),
        "a positive target": replace(usual, target_entropy=1.3),
        "cold": replace(usual, log_alpha=np.array([-12.0], np.float32)),
        "hottest": replace(usual, log_alpha=np.array([8.0], np.float32)),
        "large": replace(much, log_pi_n=50 * log_pi_n),
        "one row": replace(usual, log_pi_n=log_pi_n[:1]),
    }


def observe(student: Student, case: Entropy) -> dict[str, Any]:
    """Returns the loss, its gradient, and what has changed; a loss of shape (1,) serves as well."""
    loss_of, log_pi_n = student.module("agents.sac_agent").temperature_loss, case.log_pi_n
    found = losses.ask(
        lambda log_alpha: loss_of(log_alpha, torch.as_tensor(log_pi_n), case.target_entropy),
        {"log_alpha": case.log_alpha},
    )
    return found | {"loss": np.squeeze(found.get("loss", ()))}

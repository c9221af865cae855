"""Asks for PPO's loss: ratios within and beyond the clip, with advantages of both signs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from autograder.homeworks.hw5.fakes.calls import after_others, finite, gradient
from autograder.running.probing import Student

RESULTS = "losses"
RATIOS = (0.4, 0.72, 0.93, 1.06, 1.31, 1.9)  # around a clip at 0.2; each with either advantage


@dataclass(frozen=True)
class Minibatch:
    """The arguments of `clipped_surrogate_loss`."""

    log_ratio_n: np.ndarray
    adv_n: np.ndarray
    clip_ratio: float


def cases(seed: int) -> Mapping[str, Minibatch]:
    """Returns what is tried: near the old policy and far from it, small and large advantages."""
    rng = np.random.default_rng([285, 91, seed])
    ratios = np.repeat(RATIOS, 2) * rng.uniform(0.98, 1.02, 12)
    sizes = rng.uniform(0.3, 1.7, 12) * np.tile([1, -1], 6) * (1 + np.tile([0.4, 0], 6))
    order = rng.permutation(12)[:11]
    log_ratio_n, adv_n = np.array([np.log(ratios), sizes], np.float32)[:, order]
    usual = Minibatch(log_ratio_n, adv_n, 0.2)
    many = rng.normal(0, 0.3, (2, 256)).astype(np.float32)
    return {
        "usual": usual,
        "before the first step": replace(usual, log_ratio_n=0 * usual.log_ratio_n),
        "advantages of hundreds": replace(usual, adv_n=300 * usual.adv_n),
        "ratios far from 1": replace(usual, log_ratio_n=5 * usual.log_ratio_n),
        "a narrow clip": replace(usual, clip_ratio=0.02),
        "a clip that never counts": Minibatch(5 * log_ratio_n, abs(adv_n), 1e6),
        "256 rows": Minibatch(many[0], 4 * many[1], 0.2),
        "one good action": Minibatch(abs(log_ratio_n[:1]), abs(adv_n[:1]), 0.05),
        "one bad action": Minibatch(abs(log_ratio_n[:1]), -abs(adv_n[:1]), 0.05),
    }


def observe(student: Student, case: Minibatch) -> dict[str, Any]:
    """Returns the loss, and its gradient by the log ratios."""
    function = student.module("agents.ppo_agent").clipped_surrogate_loss
    leaf = torch.as_tensor(case.log_ratio_n).requires_grad_()
    log_ratio_n, adv_n = 1 * leaf, torch.tensor(case.adv_n)
    loss = after_others(function, log_ratio_n, adv_n, case.clip_ratio)
    return finite(
        {
            "the loss": loss,
            "the gradient by `log_ratio_n`": gradient(loss, leaf),
            "log_ratio_changed": not torch.equal(log_ratio_n, leaf),
        }
    )

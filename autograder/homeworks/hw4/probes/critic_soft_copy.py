"""Lets target networks follow: how far each weight goes, call after call, for two networks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from autograder.running.probing import Student

SHAPES = ((2, 3, 2), (2, 1, 2), (3, 4), (4,), (4,))  # the first two are of a critic
SIZES = [12, 4, 12, 4, 4]


@dataclass(frozen=True)
class Copies:
    """How far the targets are to go, how far off what they follow is, and how often they go."""

    tau: float
    gap: np.ndarray
    calls: int = 3


def cases(seed: int) -> Mapping[str, Copies]:
    """Returns what is tried: shares from 0 to 1, weights of hundreds, and many calls."""
    rng = np.random.default_rng([285, 85, seed])
    gap = rng.uniform(0.5, 1.5, sum(SIZES)) * rng.choice([-1, 1], sum(SIZES))
    gap = gap.astype(np.float32)
    shares = {f"tau {tau}": Copies(tau, gap) for tau in (0.25, 0.005, 1.0, 0.0)}
    tau = float(rng.uniform(0.2, 0.3))
    many = {"large weights": Copies(tau, 300 * gap), "200 calls": Copies(0.05, gap, 200)}
    return shares | many


def observe(student: Student, case: Copies) -> dict[str, Any]:
    """Returns the shares of the way that weights go in the last calls, of two networks in turn."""
    polyak_update = student.module("critics.q_critic").polyak_update
    gap = torch.as_tensor(case.gap)
    online, target = ([nn.Parameter(0.7 * w, learns) for w in cut(gap)] for learns in (True, False))
    row = torch.no_grad()(nn.utils.parameters_to_vector)
    lists = (online[:2], target[:2]), (online[2:], target[2:])  # the same ones for ever
    shares, changed = list[np.ndarray](), False
    for _ in range(case.calls):
        for new, ahead in zip(online, cut(row(target) + gap), strict=True):
            new.data.copy_(ahead)
        before, ahead = row(target), row(online)
        for both in lists:
            with torch.no_grad():
                polyak_update(*both, case.tau)
        distance = ahead - before  # 0 where both have become one
        shares = [
            *shares[-2:],
            (torch.where(distance == 0, 0, (row(target) - before) / distance)).numpy(),
        ]
        changed |= not torch.equal(row(online), ahead)
    flags = [weight.requires_grad for weight in (*online, *target)]
    return {
        "share of the way that each weight goes": np.array(shares),
        "online_changed": changed,
        "requires_grad_changed": flags != [True] * len(SIZES) + [False] * len(SIZES),
    }


def cut(numbers: torch.Tensor) -> list[torch.Tensor]:
    """Returns numbers as the weights of two networks."""
    return [w.reshape(s) for w, s in zip(numbers.split(SIZES), SHAPES, strict=True)]

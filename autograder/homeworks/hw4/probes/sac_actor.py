"""Asks for the loss of SAC's actor, and for its gradients: by the critics and by the density."""

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
class Actions:
    """What the critics and the policy say of new actions; the temperature is alpha."""

    q_kn: np.ndarray
    log_pi_n: np.ndarray
    alpha: float


def cases(seed: int) -> Mapping[str, Actions]:
    """Returns what is tried: each critic is the smaller one somewhere; values of both signs."""
    rng = np.random.default_rng([285, 84, seed])
    numbers = rng.uniform(0.3, 1.7, (3, ROWS)) * rng.choice([-1, 1], (3, ROWS))
    numbers[:2, :4] = [[1.9, -0.4, -1.3, 1.1], [-0.5, 1.8, -0.7, 0.2]]
    q_kn, log_pi_n = numbers[:2].astype(np.float32), 3 * numbers[2].astype(np.float32)
    usual = Actions(q_kn, log_pi_n, float(rng.uniform(0.3, 0.7)))
    return {
        "usual": usual,
        "large": replace(usual, q_kn=300 * q_kn),
        "good actions": replace(usual, q_kn=q_kn + 40),  # the loss has both signs
        "bad actions": replace(usual, q_kn=q_kn - 40),
        "hot": replace(usual, alpha=20.0),
        "cold": replace(usual, alpha=0.05),
        "coldest": replace(usual, alpha=1e-4),
        "narrow": replace(usual, log_pi_n=20 * log_pi_n),
        "one critic": replace(usual, q_kn=q_kn[:1]),
        "two rows": replace(usual, q_kn=q_kn[:, :2], log_pi_n=log_pi_n[:2]),
        "one row": replace(usual, q_kn=q_kn[:, :1], log_pi_n=log_pi_n[:1]),
    }


def observe(student: Student, case: Actions) -> dict[str, Any]:
    """Returns the loss, its gradients, and what has changed. Alpha has shape (1,), and no graph.

    A loss of shape (1,) is wrong: given code stacks it with numbers for the log.
    """
    loss_of, alpha = student.module("agents.sac_agent").soft_policy_loss, torch.tensor([case.alpha])
    arrays = {"q_kn": case.q_kn, "log_pi_n": case.log_pi_n}
    return losses.ask(lambda q_kn, log_pi_n: loss_of(q_kn, log_pi_n, alpha), arrays)

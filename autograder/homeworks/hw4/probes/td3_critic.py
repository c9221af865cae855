"""Asks for the loss of two critics, and for its gradient by what each of them values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from autograder.homeworks.hw4.fakes.networks import gradients
from autograder.running.probing import Student, plain_array

ROWS, MANY = 11, 256


@dataclass(frozen=True)
class Answers:
    """What the critics say, shape (2, n), and what they should say, shape (n,)."""

    q_kn: np.ndarray
    y_n: np.ndarray


def cases(seed: int) -> Mapping[str, Answers]:
    """Returns what is tried: errors of both signs, tiny, usual and of hundreds; few rows, many."""
    rng = np.random.default_rng([285, 86, seed])
    numbers = rng.uniform(0.3, 2.4, (3, MANY)) * rng.choice([-1, 1], (3, MANY))
    q_kn, y_n = numbers[:2].astype(np.float32), numbers[2].astype(np.float32)
    usual = Answers(q_kn[:, :ROWS], y_n[:ROWS])
    return {
        "usual": usual,
        "large": Answers(300 * usual.q_kn, 300 * usual.y_n),
        "small errors": replace(usual, q_kn=usual.y_n + 0.05 * usual.q_kn),
        "one row": Answers(q_kn[:, :1], y_n[:1]),
        "two rows": Answers(q_kn[:, :2], y_n[:2]),
        "256 rows": Answers(q_kn, y_n),
    }


def observe(student: Student, case: Answers) -> dict[str, Any]:
    """Returns the loss and its gradient; and the loss of other targets."""
    twin_critic_loss = student.module("agents.td3_agent").twin_critic_loss
    torch.set_grad_enabled(True)  # in case an earlier trial has switched gradients off for good
    values, y_n = torch.as_tensor(case.q_kn).requires_grad_(), torch.as_tensor(case.y_n)
    q_kn = 1.0 * values  # not a leaf, as a network's output
    loss = twin_critic_loss(q_kn, y_n)
    record = {
        "loss": plain_array(loss),
        "Q_changed": not torch.equal(q_kn, values),  # `update` logs it
        "requires_grad_changed": not torch.is_grad_enabled(),
        "gradients_left": values.grad is not None,
    }
    if not record["gradients_left"]:  # else there may be no graph to follow any more
        record["gradient by q_kn"] = gradients(loss, [values]).reshape(2, -1)[:, :ROWS]
        record["loss of other targets"] = plain_array(twin_critic_loss(1.0 * values, 0.5 * y_n + 1))
    return record

"""Probe of `ACAgent.estimate_advantage`: advantages from a critic whose values are a table."""

from __future__ import annotations

import contextlib
import functools
import warnings
from typing import Any

import numpy as np
import torch
from torch import nn

from autograder.hw3.probe_ac_train import as_tensors, build, hands_over_tensors
from autograder.hw3.value_case import (
    ADVANTAGE_ORDER,
    STATES,
    ValueCase,
    call,
    changed,
    enlarged,
    value_case,
)
from autograder.hw3.value_world import build_critic
from autograder.probing import Student

OWNERS = ("agents/ac_agent.py",)


class TableCritic(nn.Module):
    """V(s) as a table, for arrays and for tensors."""

    def __init__(self, table: np.ndarray) -> None:
        """Copies `table`, shape (STATES,)."""
        super().__init__()
        self.critic_network = nn.Linear(STATES, 1, bias=False)
        with torch.no_grad():
            self.critic_network.weight.copy_(torch.tensor(table[None]))

    def forward(self, obs: torch.Tensor) -> torch.Tensor:
        """Returns values. Shape (n,)."""
        values: torch.Tensor = self.critic_network(obs).squeeze(1)
        return values

    @torch.no_grad()
    def forward_np(self, obs: Any) -> np.ndarray:
        """Returns values for an array. Shape (n,)."""
        values: np.ndarray = self(torch.as_tensor(obs, dtype=torch.float32)).numpy()
        return values


def estimate(
    student: Student,
    case: ValueCase,
    standardize: bool,
    own: bool,
    tensors: bool,
    seen: dict[str, Any],
) -> None:
    """Estimates advantages of arrays or tensors, with our critic or with the student's own."""
    agent = build(student, case, standardize)
    agent.critic = TableCritic(case.table)
    if own:
        agent.critic = build_critic(student, case)
    arrays = as_tensors(case.arrays()) if tensors else case.arrays()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            adv_n = call(agent.estimate_advantage, ADVANTAGE_ORDER, arrays)
    finally:
        seen["changed"] = changed(case.arrays(), arrays)
    seen["adv_n"] = adv_n
    seen["is_tensor"] = isinstance(adv_n, torch.Tensor)
    seen["reaches_critic"] = reaches_critic(adv_n, agent.critic)


def reaches_critic(adv_n: Any, critic: Any) -> bool:
    """Tells whether a loss made of these advantages would move the critic."""
    if not isinstance(adv_n, torch.Tensor) or not adv_n.requires_grad:
        return False
    with contextlib.suppress(RuntimeError):
        # Not of the plain sum: that of standardised advantages is constant.
        adv_n.square().sum().backward()  # type: ignore[no-untyped-call]
    grads = [p.grad for p in critic.critic_network.parameters()]
    return any(grad is not None and bool(grad.abs().sum() > 0) for grad in grads)


def probe_advantage(student: Student, seed: int) -> None:
    """Estimates advantages with and without standardising, with our critic and the student's.

    What does not go with arrays is tried with tensors, where `train` hands those over.
    """
    case = value_case(seed)
    plays = (("raw", case, False), ("standardized", case, True), ("large", enlarged(case), False))
    ways = {
        f"{'own_' * own}{name}": functools.partial(estimate, student, drawn, standardize, own)
        for own in (False, True)
        for name, drawn, standardize in plays
    }
    trials = [student.try_out(name, functools.partial(way, False)) for name, way in ways.items()]
    if any(trial.crash for trial in trials) and hands_over_tensors(student, "advantage"):
        for name, way in ways.items():
            student.try_out(name, functools.partial(way, True))

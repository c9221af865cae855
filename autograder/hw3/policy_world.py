"""The student's policy over a table, with an optimizer and neighbours that tell what happens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import distributions, nn

from autograder.hw3.policy_case import STATES, PolicyCase
from autograder.hw3.table_network import TableNetwork
from autograder.probing import Student

KINDS = {"discrete": True, "continuous": False}


def build(student: Student, case: PolicyCase, discrete: bool) -> Any:
    """Builds the student's policy over a case's table, and an optimizer that takes it as it is."""
    module = student.module("policies.MLP_policy")
    size = len(case.table(discrete))
    policy = module.MLPPolicyAC(
        ac_dim=size, ob_dim=STATES, n_layers=2, size=13, discrete=discrete, learning_rate=0.01
    )
    network = TableNetwork(case.table(discrete) / np.float32(case.scale))
    if discrete:
        policy.logits_na = network
    else:
        policy.mean_net = network
        policy.logstd = nn.Parameter(torch.tensor(case.logstd))
    policy.optimizer = torch.optim.SGD(policy.parameters(), lr=1.0)
    return policy


def moving(policy: Any) -> list[nn.Parameter]:
    """Returns what a policy gradient moves: the table and, if continuous, logstd."""
    if policy.discrete:
        return [policy.logits_na.table]
    return [policy.mean_net.table, policy.logstd]


def stand_in(
    policy: Any, case: PolicyCase, joined: bool = True, knob: torch.Tensor | None = None
) -> Callable[[Any], Any]:
    """Returns a `forward` of ours over the policy's table.

    Args:
        policy: The student's.
        case: Its numbers.
        joined: Whether the components of a continuous action have one log-probability together.
        knob: If given, chance plays no part: samples are neither the best actions nor those of
            the batch, and entropies are this number, so who wants more of them pulls at it.
    """

    def forward(observation: Any) -> Any:
        columns = (policy.logits_na if policy.discrete else policy.mean_net)(observation)
        if policy.discrete:
            chosen = distributions.Categorical(columns.softmax(-1))
            return settled(chosen, (columns.argmax(-1) + 1) % columns.shape[-1], knob)
        # At the present numbers this has the value and the slope of the spread.
        slope = 1 + policy.logstd - policy.logstd.detach()
        scale = torch.tensor(case.spread, dtype=torch.float32) * slope
        normal = distributions.Normal(columns, scale)
        answer = distributions.Independent(normal, 1) if joined else normal
        signs = 1 - 2 * (torch.arange(columns.shape[-1]) % 2)
        return settled(answer, (columns + 0.4 * scale * signs).detach(), knob)

    return forward


def settled(answer: Any, sample: torch.Tensor, knob: torch.Tensor | None) -> Any:
    """Returns a distribution in which chance plays no part, if there is a knob."""
    if knob is not None:
        answer.sample = lambda *_: sample
        answer.entropy = lambda: knob.expand(len(sample))
    return answer

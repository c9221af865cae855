"""Stands for a policy's `forward` where another blank asks it: tables in, distributions out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import distributions, nn


def over_table(policy: Any, table: Any, spread: Any, knob: torch.Tensor | None = None) -> Any:
    """Gives a policy a linear network, spreads and a `forward` of ours; returns its weights.

    Args:
        policy: The student's.
        table: The network's weights, a row for each of its outputs.
        spread: The deviation of each component, if actions are continuous.
        knob: If given, chance plays no part, see `settled`.
    """
    network = nn.Linear(len(table[0]), len(table), bias=False)
    network.weight.data = torch.tensor(table, dtype=torch.float32)
    policy.forward = stand_in(policy, spread, knob)
    if policy.discrete:
        policy.logits_na = network
        return [network.weight]
    policy.mean_net = network
    policy.logstd = nn.Parameter(torch.tensor(spread, dtype=torch.float32).log())
    return [network.weight, policy.logstd]


def stand_in(policy: Any, spread: Any, knob: torch.Tensor | None) -> Callable[[Any], Any]:
    """Returns a `forward` of ours over the policy's table, right at the present spread alone."""

    def forward(observation: Any) -> Any:
        columns = (policy.logits_na if policy.discrete else policy.mean_net)(observation)
        if policy.discrete:
            chosen = distributions.Categorical(columns.softmax(-1))
            return settled(chosen, (columns.argmax(-1) + 1) % columns.shape[-1], knob)
        slope = 1 + policy.logstd - policy.logstd.detach()
        scale = torch.tensor(spread, dtype=torch.float32) * slope
        answer = distributions.Independent(distributions.Normal(columns, scale), 1)
        signs = 1 - 2 * (torch.arange(columns.shape[-1]) % 2)
        return settled(answer, (columns + 0.4 * scale * signs).detach(), knob)

    return forward


def settled(answer: Any, sample: torch.Tensor, knob: torch.Tensor | None) -> Any:
    """Returns a distribution in which chance plays no part, if there is a knob.

    Its samples are neither the best actions nor those that were taken, and entropies are the knob:
    who wants more of them pulls at it.
    """
    if knob is not None:
        answer.sample = lambda *_: sample
        answer.entropy = lambda: knob.expand(len(sample))
    return answer

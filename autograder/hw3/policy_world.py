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
ZEROED, BACKWARD, STEP, EMPTY_STEP = range(4)  # what an optimizer is told


class WatchedSGD(torch.optim.SGD):
    """Plain gradient descent that writes down what it is told."""

    def __init__(self, parameters: Any) -> None:
        """Descends with step size 1."""
        super().__init__(parameters, lr=1.0)
        self.tape: list[int] = []

    def zero_grad(self, *args: Any, **kwargs: Any) -> None:
        """Forgets all gradients."""
        self.tape.append(ZEROED)
        super().zero_grad(*args, **kwargs)

    def step(self, closure: Any = None) -> Any:
        """Takes one step, on the gradient that `closure` leaves if there is one."""
        loss = None if closure is None else closure()
        grads = [p.grad for group in self.param_groups for p in group["params"]]
        full = any(g is not None and bool(g.abs().sum() != 0) for g in grads)
        self.tape.append(STEP if full else EMPTY_STEP)
        super().step()
        return loss


def build(student: Student, case: PolicyCase, discrete: bool) -> Any:
    """Builds the student's policy over a case's table, with plain gradient descent."""
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
    policy.optimizer = WatchedSGD(policy.parameters())
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


def watch_forward(policy: Any, seen: dict[str, Any], forward: Callable[[Any], Any]) -> None:
    """Lets `forward` be the policy's, and keeps what it and its `log_prob` are asked last."""

    def watched(*args: Any, **kwargs: Any) -> Any:
        seen["observation"] = next(iter([*args, *kwargs.values()]), None)
        answer = forward(*args, **kwargs)
        log_prob = getattr(answer, "log_prob", None)
        if log_prob is None or isinstance(answer, torch.Tensor):
            return answer

        def asked(value: Any) -> Any:
            seen["asked"] = value.detach().clone() if hasattr(value, "detach") else value
            return log_prob(value)

        answer.log_prob = asked
        return answer

    policy.forward = watched

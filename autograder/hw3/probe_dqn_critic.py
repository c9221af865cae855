"""Probes of DQN's critic: what one call of `update` does to a table of action values."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from autograder.hw3.critic_case import (
    ACTIONS,
    STATES,
    WORTH,
    CriticCase,
    critic_case,
    large_case,
    lifted_case,
    second_case,
)
from autograder.hw3.table_network import TableNetwork
from autograder.hw3.value_case import UPDATE_ORDER, call
from autograder.probing import Student, kept_graphs

OWNERS = ("critics/dqn_critic.py",)
NO_CLIPPING = 1e9
CLIP_AT = 0.01


class OptimizerSpec(NamedTuple):
    """What the course's critic expects as `optimizer_spec`."""

    constructor: Callable[..., torch.optim.Optimizer]
    optim_kwargs: dict[str, Any]
    learning_rate_schedule: Callable[[int], float]


def hparams(gamma: float, double_q: bool, clip: float) -> dict[str, Any]:
    """Returns the settings that a critic reads, under older names too."""
    return {
        "env_name": "Table-v0",
        "q_func": lambda *args, **kwargs: TableNetwork(np.zeros((ACTIONS, STATES), np.float32)),
        "ob_dim": (STATES,),
        "input_shape": (STATES,),
        "ac_dim": ACTIONS,
        "double_q": double_q,
        "gamma": gamma,
        "grad_norm_clipping": clip,
        "learning_rate": 1.0,
    }


def build(
    student: Student, case: CriticCase, double_q: bool = False, clip: float = NO_CLIPPING
) -> Any:
    """Builds the student's critic, with the case's tables and plain gradient descent."""
    module = student.module("critics.dqn_critic")
    spec = OptimizerSpec(torch.optim.SGD, {"lr": 1.0}, lambda update: 0.5**update)
    critic = module.DQNCritic(hparams(case.gamma, double_q, clip), spec)
    set_tables(critic, case)
    return critic


def set_tables(critic: Any, case: CriticCase) -> None:
    """Writes the case's tables into the critic's networks."""
    with torch.no_grad():
        next(iter(critic.q_net.parameters())).copy_(torch.tensor(case.online))
        next(iter(critic.q_net_target.parameters())).copy_(torch.tensor(case.target))


def table_of(network: nn.Module) -> np.ndarray:
    """Returns a copy of a network's table."""
    table: np.ndarray = next(iter(network.parameters())).detach().numpy().copy()
    return table


def batch(case: CriticCase) -> dict[str, np.ndarray]:
    """Returns what `update` is given, by role."""
    return {
        "obs": case.one_hot(case.state),
        "action": case.action.astype(np.int64),
        "next_obs": case.one_hot(case.next_state),
        "reward": case.reward.copy(),
        "terminal": case.terminal.copy(),
    }


def watch_loss(critic: Any, seen: dict[str, Any]) -> None:
    """Lets `critic.loss` tell its first two arguments: a second view of the targets."""
    loss = critic.loss

    def watched(*args: Any, **kwargs: Any) -> Any:
        for name, value in zip(
            ("loss_first", "loss_second"), [*args, *kwargs.values()], strict=False
        ):
            seen[name] = value
        return loss(*args, **kwargs)

    # nn.Module would refuse to be replaced by a function, so look past it.
    critic.__dict__["loss"] = watched
    modules = critic.__dict__.get("_modules")
    if modules is not None:
        modules.pop("loss", None)


def learn(critic: Any, case: CriticCase, seen: dict[str, Any], number: int = 1) -> None:
    """Calls `update` once and notes what moved."""
    before, target_before = table_of(critic.q_net), table_of(critic.q_net_target)
    for parameter in critic.q_net_target.parameters():
        parameter.grad = None
    call(critic.update, UPDATE_ORDER, batch(case))
    seen[f"change{number}"] = table_of(critic.q_net) - before
    seen[f"target_change{number}"] = table_of(critic.q_net_target) - target_before
    seen["graphs"] = kept_graphs(critic)
    grads = [p.grad for p in critic.q_net_target.parameters() if p.grad is not None]
    seen[f"target_grad{number}"] = sum(float(g.abs().sum()) for g in grads)


def probe_update(student: Student, seed: int) -> None:
    """Updates a critic: once, twice, with rewards too large, and with gradients to clip."""
    case, second = critic_case(seed), second_case(seed)

    def once(seen: dict[str, Any]) -> None:
        critic = build(student, case)
        watch_loss(critic, seen)
        learn(critic, case, seen)

    def twice(seen: dict[str, Any]) -> None:
        critic = build(student, case)
        learn(critic, case, seen)
        set_tables(critic, second)
        learn(critic, second, seen, 2)

    def clipped(seen: dict[str, Any]) -> None:
        large = large_case(seed)
        learn(build(student, large, clip=CLIP_AT), large, seen)

    def large_errors(seen: dict[str, Any]) -> None:
        large = large_case(seed)
        learn(build(student, large), large, seen)

    def with_double_q(seen: dict[str, Any]) -> None:
        critic = build(student, case, double_q=True)
        seen["has_method"] = hasattr(critic, "double_q_values")
        if seen["has_method"]:
            with contextlib.suppress(Exception):  # whatever is wrong with it is another's
                next_ob_no = torch.tensor(case.one_hot(case.next_state))
                seen["own"] = build(student, case, double_q=True).double_q_values(next_ob_no)

            def stand_in(obs: Any) -> torch.Tensor:
                seen["asked"] = True
                return torch.as_tensor(obs) @ torch.tensor(WORTH)

            critic.double_q_values = stand_in
        learn(critic, case, seen)

    student.try_out("once", once)
    student.try_out("twice", twice)
    student.try_out("clipped", clipped)
    student.try_out("large", large_errors)
    student.try_out("double", with_double_q)


def probe_double_q(student: Student, seed: int) -> None:
    """Asks for the double-Q values of next states, and for an update that uses them or not."""
    case, lifted = critic_case(seed), lifted_case(seed)

    def values(seen: dict[str, Any]) -> None:
        for name, some in (("values", case), ("lifted", lifted)):
            critic = build(student, some, double_q=True)
            if hasattr(critic, "double_q_values"):
                next_ob_no = torch.tensor(some.one_hot(some.next_state))
                seen[name] = critic.double_q_values(next_ob_no)

    def update(seen: dict[str, Any], double_q: bool = True) -> None:
        critic = build(student, case, double_q=double_q)
        watch_loss(critic, seen)
        learn(critic, case, seen)

    student.try_out("values", values)
    student.try_out("update", update)
    student.try_out("plain", lambda seen: update(seen, double_q=False))

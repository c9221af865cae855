"""Probes of DQN's critic: what one call of `update` does to a table of action values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from autograder.hw3.critic_case import (
    ACTIONS,
    STATES,
    CriticCase,
)
from autograder.hw3.table_network import TableNetwork
from autograder.hw3.value_case import UPDATE_ORDER, call
from autograder.probing import Student

NO_CLIPPING = 1e9


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
        next(iter(critic.q_net.parameters())).copy_(torch.tensor(case.online / case.scale))
        next(iter(critic.q_net_target.parameters())).copy_(torch.tensor(case.target / case.scale))


def table_of(network: nn.Module) -> np.ndarray:
    """Returns a copy of a network's table."""
    table: np.ndarray = next(iter(network.parameters())).detach().numpy().copy()
    return table


def pulls(critic: Any, case: CriticCase, given: Mapping[str, np.ndarray]) -> np.ndarray:
    """Returns how far one update moves each prediction towards its target, by squared errors."""
    critic.loss = nn.MSELoss()
    before = table_of(critic.q_net)
    call(critic.update, UPDATE_ORDER, given)
    change: np.ndarray = (table_of(critic.q_net) - before)[case.action, case.state]
    return change


def batch(case: CriticCase) -> dict[str, np.ndarray]:
    """Returns what `update` is given, by role."""
    return {
        "obs": case.one_hot(case.state),
        "action": case.action.astype(np.int64),
        "next_obs": case.one_hot(case.next_state),
        "reward": case.reward.copy(),
        "terminal": case.terminal.copy(),
    }

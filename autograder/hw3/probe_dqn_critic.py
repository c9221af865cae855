"""Probes of DQN's critic: what one call of `update` does to a table of action values."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import nn

from autograder.core import fingerprint
from autograder.hw3 import critic_case
from autograder.hw3.critic_case import ACTIONS, STATES, CriticCase
from autograder.hw3.table_network import TableNetwork
from autograder.hw3.value_case import BELOW, UPDATE_ORDER, call, only_next
from autograder.probing import Student

NO_CLIPPING = 1e9
OptimizerSpec = namedtuple("OptimizerSpec", "constructor optim_kwargs learning_rate_schedule")


def construct(student: Student, gamma: float, double_q: bool, clip: float, **more: Any) -> Any:
    """Constructs the student's critic, with plain gradient descent; its rate halves each time."""
    settings = {
        "q_func": lambda *args, **kwargs: TableNetwork(np.zeros((ACTIONS, STATES), np.float32)),
        "ob_dim": (STATES,),
        "ac_dim": ACTIONS,
        "double_q": double_q,
        "gamma": gamma,
        "grad_norm_clipping": clip,
        **more,
    }
    spec = OptimizerSpec(torch.optim.SGD, {"lr": 1.0}, lambda update: 0.5**update)
    return student.module("critics.dqn_critic").DQNCritic(settings, spec)


def build(
    student: Student, case: CriticCase, double_q: bool = False, clip: float = NO_CLIPPING
) -> Any:
    """Builds the student's critic with the case's tables."""
    return set_tables(construct(student, case.gamma, double_q, clip), case)


def set_tables(critic: Any, case: CriticCase) -> Any:
    """Writes the case's tables into the critic's networks, and returns it."""
    with torch.no_grad():
        next(iter(critic.q_net.parameters())).copy_(torch.tensor(case.online / case.scale))
        next(iter(critic.q_net_target.parameters())).copy_(torch.tensor(case.target / case.scale))
    return critic


def table_of(network: nn.Module) -> np.ndarray:
    """Returns a copy of a network's table."""
    table: np.ndarray = next(iter(network.parameters())).detach().numpy().copy()
    return table


def pulls(critic: Any, case: CriticCase) -> np.ndarray:
    """Returns how far one update moves each prediction towards its target, by squared errors."""
    critic.loss = nn.MSELoss()
    before = table_of(critic.q_net)
    call(critic.update, UPDATE_ORDER, case.arrays())
    change: np.ndarray = (table_of(critic.q_net) - before)[case.action, case.state]
    return change


def note_moves(
    student: Student, results: str, of_case: Callable[[CriticCase], np.ndarray], seed: int
) -> None:
    """Notes what some results depend on, also where values are far below 0."""
    usual = critic_case.critic_case(seed)
    low = replace(usual, target=critic_case.low_case(seed).target)

    def moving(seen: dict[str, Any]) -> None:
        fingerprint.note(seen, of_case, usual, critic_case.moves(usual))
        fingerprint.note(seen, of_case, low, only_next(critic_case.moves(low)), BELOW)

    student.try_moves(results, moving)

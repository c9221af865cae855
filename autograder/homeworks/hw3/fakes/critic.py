"""DQN's critic as given networks are looked at in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from autograder.homeworks.hw3.fakes import settings
from autograder.homeworks.hw3.fakes.transitions import ACTIONS
from autograder.running.probing import Student

NO_CLIPPING = 1e9


def construct(student: Student, ob_dim: int, network: Callable[[], nn.Module], **own: Any) -> Any:
    """Constructs the student's critic, with plain gradient descent for the weights it trains."""
    module, own_networks = student.module("critics.dqn_critic"), settings.q_networks(network)
    critic = module.DQNCritic((ob_dim,), ACTIONS, settings.of_dqn(student, **own), own_networks)
    groups = critic.optimizer.param_groups
    critic.optimizer = torch.optim.SGD(
        [{k: group[k] for k in ("params", "lr")} for group in groups]
    )
    return critic

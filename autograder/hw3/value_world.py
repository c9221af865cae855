"""What the parts of actor-critic are built with: settings, and a critic of a table."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from autograder.hw3.value_case import ACTIONS, STATES, ValueCase
from autograder.probing import Student

LEARNING_RATE = 0.3  # of optimizers that are replaced by watched ones


def hparams(gamma: float, target_updates: int = 1, grad_steps: int = 1) -> dict[str, Any]:
    """Returns the settings that a critic reads."""
    return {
        "ob_dim": STATES,
        "ac_dim": ACTIONS,
        "discrete": True,
        "n_layers": 1,
        "size": 3,
        "learning_rate": LEARNING_RATE,
        "gamma": gamma,
        "num_target_updates": target_updates,
        "num_grad_steps_per_target_update": grad_steps,
    }


def table_network(case: ValueCase) -> nn.Linear:
    """Returns a network whose output is V(s)."""
    network = nn.Linear(STATES, 1, bias=False)
    with torch.no_grad():
        network.weight.copy_(torch.as_tensor(case.table / case.scale)[None])
    return network


def build_critic(
    student: Student, case: ValueCase, target_updates: int = 1, grad_steps: int = 1
) -> Any:
    """Builds the student's critic with the case's table for a network."""
    module = student.module("critics.bootstrapped_continuous_critic")
    critic = module.BootstrappedContinuousCritic(hparams(case.gamma, target_updates, grad_steps))
    network = table_network(case)
    children = getattr(critic, "_modules", {})
    networks = [name for name, child in children.items() if child and list(child.parameters())]
    for name in {"critic_network", *networks}:  # whatever a student calls it
        setattr(critic, name, network)
    return critic

"""The settings that agents of homework 3 are built with, in the student's own given classes."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from torch import nn

from autograder.running.probing import Student

CONSTANT = {"learning_rate": "1", "exploration": "0"}  # schedules that do not move
PLAIN_DQN = {
    **CONSTANT,
    "adam_eps": 1e-8,
    "discount": 0.9,
    "buffer_size": 100,
    "frame_history_len": 1,
    "learning_starts": 0,
    "learning_freq": 1,
    "target_update_freq": 1,
    "tau": 1.0,
    "eval_epsilon": 0.0,
}
PLAIN_AC = {
    "n_layers": 1,
    "size": 3,
    "num_target_updates": 1,
    "num_grad_steps_per_target_update": 1,
    "num_critic_updates_per_agent_update": 1,
    "num_actor_updates_per_agent_update": 1,
}


def of_dqn(student: Student, **settings: Any) -> Any:
    """Returns settings of DQN; those that are not given are the plainest."""
    return student.module("configs.dqn").DQNConfig(**{**PLAIN_DQN, **settings})


def of_actor_critic(student: Student, gamma: float, **settings: Any) -> Any:
    """Returns settings of actor-critic; those that are not given are the plainest."""
    config = student.module("configs.actor_critic").ACConfig
    return config(**{**PLAIN_AC, "discount": gamma, **settings})


def q_networks(make: Callable[[], nn.Module]) -> Any:
    """Returns what makes DQN's networks, in the place of those of its settings."""
    return SimpleNamespace(part=lambda _: make())

"""Helpers of the tests that build an agent themselves, and do what the trainer does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np


class Nowhere(gym.Env[np.ndarray, Any]):
    """Where an agent is that learns from what it is given: it has spaces, and is not played.

    For agents of segments it is one environment of several side by side, as `VectorEnv` is.
    """

    num_envs = 1

    def __init__(self, ob_dim: int = 3, ac_dim: int = 2, discrete: bool = True) -> None:
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (ob_dim,))
        continuous = gym.spaces.Box(-1.0, 1.0, (ac_dim,))
        self.action_space = gym.spaces.Discrete(ac_dim) if discrete else continuous
        self.spaces = self.observation_space, self.action_space

    def reset(self, **_: Any) -> Any:
        return np.zeros((1, *self.spaces[0].shape), np.float32)


def step_and_train(agent: Any, steps: int, batch_size: int) -> list[Mapping[str, float]]:
    """Goes on by some steps; returns what the last update after each logs, empty if none is due."""
    logs: list[Mapping[str, float]] = []
    for _ in range(steps):
        agent.step_env()
        updates = [agent.train(*agent.sample(batch_size)) for _ in range(agent.updates_due())]
        logs.append(updates[-1] if updates else {})
        agent.t += 1
    return logs

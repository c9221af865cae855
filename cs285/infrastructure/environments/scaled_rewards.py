"""Rewards multiplied by a number for whoever learns; what is logged stays the task's own."""

from __future__ import annotations

from typing import Any

import gymnasium as gym

TASK_REWARD = "cs285 task reward"
"""The key in `info` of a reward as the task gave it, or without its noise.

A portfolio compares its members by that. It is a key of ours: a task may have any other.
"""


class ScaledRewards(gym.Wrapper[Any, Any, Any, Any]):
    """Multiplies rewards, outside what counts episodes: statistics are the task's own."""

    kept: tuple[str, ...] = ()

    def __init__(self, env: gym.Env[Any, Any], factor: float) -> None:
        """Wraps an environment."""
        super().__init__(env)
        self.factor = factor

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps; `info` has the task's own reward under the key `TASK_REWARD`."""
        obs, reward, terminated, truncated, info = self.env.step(action)
        info = {**info, TASK_REWARD: reward}
        return obs, self.factor * float(reward), terminated, truncated, info


def scaled(env: gym.Env[Any, Any], factor: float) -> gym.Env[Any, Any]:
    """Returns an environment of multiplied rewards; `env` itself where the factor is 1."""
    return env if factor == 1.0 else ScaledRewards(env, factor)

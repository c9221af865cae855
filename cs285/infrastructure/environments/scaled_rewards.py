"""Rewards multiplied by a number for whoever learns; what is logged stays the task's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium as gym

from cs285.infrastructure.rollouts import PathBuffer, PathDict

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


class ScaledPathBuffer(PathBuffer):
    """Multiplies the rewards of the paths that it stores; the paths themselves stay."""

    def __init__(self, factor: float) -> None:
        """Starts empty."""
        super().__init__()
        self.factor = factor

    def add_rollouts(self, paths: Sequence[PathDict]) -> None:
        """Stores the transitions of `paths` in place of those held so far."""
        super().add_rollouts(paths)
        assert self.batch is not None
        ob_no, ac_na, re_n, next_ob_no, terminal_n = self.batch
        scaled_n = (self.factor * re_n).astype(re_n.dtype)
        self.batch = (ob_no, ac_na, scaled_n, next_ob_no, terminal_n)


def scaled(env: gym.Env[Any, Any], factor: float) -> gym.Env[Any, Any]:
    """Returns an environment of multiplied rewards; `env` itself where the factor is 1."""
    return env if factor == 1.0 else ScaledRewards(env, factor)


def scale_paths(agent: Any, factor: float) -> None:
    """Lets an agent that learns from whole paths learn from multiplied rewards."""
    if factor != 1.0:
        agent.replay_buffer = ScaledPathBuffer(factor)

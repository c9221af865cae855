"""Wrappers: how episodes end, by a time limit or a stop of the run; rewards for whoever learns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np

TASK_REWARD = "cs285 task reward"
"""The key in `info` of a reward as the task gave it, or without its noise.

A portfolio compares its members by that. It is a key of ours: a task may have any other.
"""


class TimeLimitIsTerminal(gym.Wrapper[Any, Any, Any, Any]):
    """Reports a time limit as the end of the task: after it, no future counts.

    Right where the discount is 1: the return is finite only because episodes end, so the limit is
    part of the task. With a discount below 1 the state at the limit keeps its value instead
    (Pardo et al., 2018, https://arxiv.org/abs/1712.00378).
    """

    kept: tuple[str, ...] = ()

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps; `terminated` is true at the limit too."""
        obs, reward, terminated, truncated, info = self.env.step(action)
        return obs, reward, terminated or truncated, truncated, info


class RememberCut(gym.Wrapper[Any, Any, Any, Any]):
    """Keeps the frame at which a time limit cut an episode.

    Nothing is done in that state, but it is a next state, and has a value. Agents act in the fresh
    episode by then, so somebody must remember it for their replay buffer.
    """

    kept = ("cut_frame",)

    cut_frame: Any = None
    """The last frame, if the newest step was truncated and not terminated; else None."""

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps, and keeps the observation if a time limit cuts here."""
        obs, reward, terminated, truncated, info = self.env.step(action)
        self.cut_frame = np.array(obs) if truncated and not terminated else None
        return obs, reward, terminated, truncated, info


class CheckEachStep(gym.Wrapper[Any, Any, Any, Any]):
    """Calls a function before each step, which may raise an exception to end a path early."""

    kept = ()

    def __init__(self, env: gym.Env[Any, Any], check: Callable[[], None]) -> None:
        """Wraps an environment; `check` is called before each step."""
        super().__init__(env)
        self.check = check

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Checks, then steps."""
        self.check()
        return self.env.step(action)


class ScaledRewards(gym.Wrapper[Any, Any, Any, Any]):
    """Multiplies rewards for whoever learns: statistics, taken inside, are the task's own."""

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

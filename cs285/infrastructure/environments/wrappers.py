"""Wrappers about how episodes end: by a time limit, at its last frame, or by a stop of the run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np


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

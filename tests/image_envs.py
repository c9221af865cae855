"""Tiny tasks that show pictures: the brighter side is the right action."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box, Discrete


class BrightSide(gym.Env[np.ndarray, Any]):
    """Shows a bright left or right half; the action that names it pays 1, the other 0."""

    def __init__(
        self, shape: tuple[int, ...] = (84, 84, 3), length: int = 10, discrete: bool = True
    ) -> None:
        self.observation_space = Box(0, 255, shape, np.uint8)
        self.action_space = Discrete(2) if discrete else Box(-1, 1, (1,), np.float32)
        self.length = length

    def reset(self, *, seed: int | None = None, **_: Any) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        self.time = 0
        return self.picture(), {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        self.time += 1
        chosen = int(action) if isinstance(self.action_space, Discrete) else int(action[0] > 0)
        reward = float(chosen == self.side)
        return self.picture(), reward, False, self.time == self.length, {}

    def picture(self) -> np.ndarray:
        shape = self.observation_space.shape
        assert shape is not None
        self.side = int(self.np_random.integers(2))
        picture = self.np_random.integers(0, 60, shape, np.uint8)
        columns = 2 if len(shape) == 3 and shape[0] in (1, 3) else 1  # the axis of the width
        half = shape[columns] // 2
        where: list[Any] = [slice(None)] * len(shape)
        where[columns] = slice(half, None) if self.side else slice(0, half)
        picture[tuple(where)] += 160
        return picture


SHAPES = {
    "Colour": (84, 84, 3),
    "Grey": (64, 64),
    "OneChannel": (96, 100, 1),
    "ChannelsFirst": (3, 50, 90),
    "FourChannels": (84, 84, 4),
    "Cells": (7, 7, 3),
}
for name, shape in SHAPES.items():
    gym.register(f"{name}-v0", BrightSide, disable_env_checker=True, kwargs={"shape": shape})
for length in (100, 1000):
    gym.register(
        f"Colour{length}-v0", BrightSide, disable_env_checker=True, kwargs={"length": length}
    )
gym.register("Steer-v0", BrightSide, disable_env_checker=True, kwargs={"discrete": False})

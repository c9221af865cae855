"""A module of one's own in a folder, as a person would write it, for tests."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import gymnasium as gym

from cs285.infrastructure.base import own_module

TEXT = """
import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box, Discrete


class Hall(gym.Env):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 10}

    def __init__(self, length, continuous=False, render_mode=None):
        self.length, self.render_mode = length, render_mode
        self.observation_space = Box(0.0, 1.0, (1,), np.float32)
        self.action_space = Box(-1.0, 1.0, (2,), np.float32) if continuous else Discrete(2)
        self.place = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = 0
        return self.seen(), {}

    def step(self, action):
        self.place = min(self.place + (np.mean(action) > 0.1), self.length)
        return self.seen(), -1.0, bool(self.place == self.length), False, {}

    def seen(self):
        return np.array([self.place / self.length], np.float32)

    def render(self):
        return np.full((32, 32, 3), self.place, np.uint8)


gym.register("Hall-v0", "hall:Hall", max_episode_steps=30)
"""
ID = "Hall-v0"
TASK = f"hall:{ID}"
KWARGS = '{"length": 3}'
NAMES = ("hall", "games", "other", "corridor")  # of modules that tests write


def write(folder: Path, text: str = TEXT, name: str = "hall") -> Path:
    """Writes a module into a folder; returns its file."""
    folder.mkdir(parents=True, exist_ok=True)
    (file := folder / f"{name}.py").write_text(text)
    return file


def _modules() -> dict[str, ModuleType]:
    """The modules that these tests have written, as far as they are imported."""
    return {name: module for name, module in sys.modules.items() if name.split(".")[0] in NAMES}


@contextlib.contextmanager
def process_in(folder: Path) -> Iterator[None]:
    """Works in a folder as a process that begins there, and nothing of it is left afterwards."""
    directory, path = os.getcwd(), sys.path[:]
    folders, modules = own_module._folders[:], _modules()
    os.chdir(folder)
    sys.path[:] = [place for place in path if Path(place) not in folders]
    own_module._folders.clear()
    for name in modules:
        del sys.modules[name]
    registered = gym.registry.pop(ID, None)
    try:
        yield
    finally:
        os.chdir(directory)
        sys.path[:] = path
        own_module._folders[:] = folders
        for name in _modules():
            del sys.modules[name]
        sys.modules.update(modules)
        gym.registry.pop(ID, None)
        if registered is not None:
            gym.registry[ID] = registered

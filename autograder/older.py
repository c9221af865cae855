"""Stand-ins for modules that whole files from older handouts import, and nobody has any more.

A method is judged among fakes, so what such a module would do does not matter; that the student's
file can be imported does. The same goes for what students import beside: debuggers and plots.
"""

from __future__ import annotations

import copy
import importlib
import re
import sys
import time
from bdb import BdbQuit
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType
from typing import Any, NoReturn

import numpy as np

INFRASTRUCTURE = "cs285.infrastructure"
OLDER = re.compile(
    r"(gym(\..*)?|pybullet.*|mujoco_py|imp|ipdb|pudb|IPython(\..*)?"
    r"|matplotlib(\..*)?|seaborn|pandas|wandb|tensorboardX|moviepy(\..*)?|cv2"
    r"|cs285\.envs(\..*)?"
    r"|cs285\.infrastructure\.(utils|dqn_utils|wrappers|colab_utils|atari_wrappers|tf_utils)"
    r"|cs285\.(agents|critics|policies)\.(base_agent|base_critic|base_policy))$"
)


class Anything:
    """Can be made from, called with and asked for anything; does nothing."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Keeps nothing."""

    def __call__(self, *args: Any, **kwargs: Any) -> Anything:
        """Returns another one."""
        return Anything()

    def __getattr__(self, name: str) -> Anything:
        """Returns another one under any public name."""
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()


def stop(*args: Any, **kwargs: Any) -> NoReturn:
    """Does what a debugger does where nobody is at the keyboard.

    Raises:
        BdbQuit: Always.
    """
    raise BdbQuit("a debugger waits here for somebody at the keyboard")


def normalize(data: Any, mean: Any, std: Any, eps: float = 1e-8) -> Any:
    """Returns data with another mean and spread, as `utils.normalize` of older handouts does."""
    return (data - mean) / (std + eps)


def unnormalize(data: Any, mean: Any, std: Any) -> Any:
    """Undoes `normalize`."""
    return data * std + mean


class OlderBuffer:
    """DQN's memory as older handouts make it: of frames whose shape nobody tells beforehand."""

    def __init__(self, size: int, frame_history_len: int, lander: bool = False) -> None:
        """Waits for the first frame."""
        self.made_for = size, frame_history_len
        self.buffer: Any = None

    def store_frame(self, frame: Any) -> int:
        """Stores a frame; returns its index."""
        if self.buffer is None:
            make = importlib.import_module(f"{INFRASTRUCTURE}.replay_buffer")
            kind = np.shape(frame), np.asarray(frame).dtype
            self.buffer = make.MemoryOptimizedReplayBuffer(*self.made_for, *kind, 0)
        return int(self.buffer.store_frame(frame))

    def can_sample(self, batch_size: int) -> bool:
        """Tells whether there are so many transitions."""
        return self.buffer is not None and bool(self.buffer.can_sample(batch_size))

    def __getattr__(self, name: str) -> Any:
        """Returns what the memory of today has under a name."""
        if name.startswith("__") or vars(self).get("buffer") is None:
            raise AttributeError(f"'MemoryOptimizedReplayBuffer' object has no attribute {name!r}")
        return getattr(self.buffer, name)


# What `from ... import *` brings of a module; files of older handouts rely on it for NumPy.
CONTENTS: dict[str, dict[str, Any]] = {
    f"{INFRASTRUCTURE}.utils": {
        **{"np": np, "copy": copy, "time": time},
        **{"normalize": normalize, "unnormalize": unnormalize},
    },
    f"{INFRASTRUCTURE}.dqn_utils": {"MemoryOptimizedReplayBuffer": OlderBuffer},
    **{name: {"set_trace": stop, "embed": stop} for name in ("ipdb", "pudb", "IPython")},
}
# What modules had in older handouts, and where it is now, if anywhere.
MOVED: dict[str, dict[str, tuple[str, str] | None]] = {
    f"{INFRASTRUCTURE}.atari_wrappers": {
        name: (f"{INFRASTRUCTURE}.atari", name) for name in ("EpisodicLife", "FireReset")
    },
    f"{INFRASTRUCTURE}.replay_buffer": {
        "ReplayBuffer": (f"{INFRASTRUCTURE}.path_buffer", "PathBuffer")
    },
    f"{INFRASTRUCTURE}.pytorch_util": {"set_device": None},
}


class StandInModule(ModuleType):
    """A module of an older handout: anything may be imported from it."""

    def __getattr__(self, name: str) -> Any:
        """Returns what has moved from where it is now, else a stand-in."""
        return moved(self.__name__, name)


def moved(module: str, name: str) -> Any:
    """Returns what a module had in older handouts from where it is now, else a stand-in."""
    place = MOVED.get(module, {}).get(name)
    return getattr(importlib.import_module(place[0]), place[1]) if place else stand_in(name)


def stand_in(name: str) -> Any:
    """Returns a class of that name if it begins with a capital, else something to call.

    Raises:
        AttributeError: If it is a name that Python itself looks for.
    """
    if name.startswith("__"):
        raise AttributeError(name)
    return type(name, (Base,), {}) if name[0].isupper() else Anything()


def lend(module: ModuleType) -> None:
    """Lets a module of today offer what was there in older handouts, to whoever imports that."""
    names = MOVED.get(module.__name__, {})

    def older(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        return moved(module.__name__, name)

    if names:
        vars(module).setdefault("__getattr__", older)


class Base:
    """What classes of older files inherit from: takes any arguments, and passes none on."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Keeps nothing."""
        super().__init__()


class OlderModules(MetaPathFinder, Loader):
    """Finds stand-ins, where nobody else finds a module."""

    def __init__(self) -> None:
        """Has found none."""
        self.found: list[str] = []

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Finds a stand-in."""
        return spec_from_loader(name, self, is_package=True) if OLDER.match(name) else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Makes a stand-in."""
        self.found.append(spec.name)
        module = StandInModule(spec.name)
        vars(module).update(CONTENTS.get(spec.name, {}))
        return module

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing to run."""


@contextmanager
def older_modules() -> Iterator[OlderModules]:
    """Lets the modules of older handouts be imported, and forgets them afterwards."""
    finder = OlderModules()
    sys.meta_path.append(finder)
    try:
        yield finder
    finally:
        sys.meta_path.remove(finder)
        for name in finder.found:
            sys.modules.pop(name, None)

"""What stands around the trainer's two blanks: settings, and functions that collect paths.

They write down with what they were called: numbers are known by themselves, since no two settings
are equal.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

TRAIN_STEPS = 3
SETTINGS = ("batch_size", "train_batch_size", "eval_batch_size", "ep_len", "video_len", "size")
SIZES = (37, 41, 43, 47, 53, 59)
PATH_LENGTHS = (5, 7, 11)  # of collected paths, over and over: no sum is one of SIZES
TRAJECTORIES, N_TRAJECTORIES, TRAJECTORY = NAMES = (
    "sample_trajectories", "sample_n_trajectories", "sample_trajectory",
)  # fmt: skip
FIELDS = ("observation", "action", "reward", "next_observation", "terminal", "image_obs")
MANY_CALLS = 120


def settings(seed: int) -> dict[str, Any]:
    """Draws a trainer's settings; the sizes all differ."""
    rng = np.random.default_rng([285, 12, seed])
    sizes = dict(zip(SETTINGS, (int(size) for size in rng.permutation(SIZES)), strict=True))
    return {
        **sizes,
        "num_agent_train_steps_per_iter": TRAIN_STEPS,
        "env_name": "Fake-v0",
        "seed": 1,
        "n_iter": 23,
        "eval_freq": 1,
        "video_log_freq": -1,
        "scalar_log_freq": 1,
        "save_params": False,
        "agent_params": {},
    }


def build(module: ModuleType, **parts: Any) -> Any:
    """Returns the student's trainer among fakes, without whatever its `__init__` does."""
    trainer = object.__new__(module.RL_Trainer)
    vars(trainer).update({"total_envsteps": 0, **parts})
    return trainer


class RunawayError(Exception):
    """A loop that never has enough."""


@dataclass(frozen=True)
class Collection:
    """A call of a function that collects, and what it was given."""

    who: str
    env: Any = None
    policy: Any = None
    count: Any = None
    length: Any = None
    render: Any = False


class Collector:
    """Stands for the functions that collect: notes the calls, and returns known paths."""

    def __init__(self, *places: Any) -> None:
        """Stands wherever in these modules such a function does."""
        self.calls: list[Collection] = []
        self.lengths: list[int] = []  # of the paths collected so far; a path's number is its place
        for place in places:
            for name in set(NAMES) & set(vars(place)):
                setattr(place, name, self._spy(name, getattr(place, name)))

    def _spy(self, who: str, real: Callable[..., Any]) -> Callable[..., Any]:
        """Returns what takes a function's arguments, and notes them."""
        known = inspect.signature(real)
        parts = [
            p for p in vars(Collection("")) if p != "who" and (p, who) != ("count", TRAJECTORY)
        ]
        parts_by_name = dict(zip(known.parameters, parts, strict=False))

        @functools.wraps(real)
        def collect(*args: Any, **kwargs: Any) -> Any:
            bound = known.bind_partial(*args, **kwargs).arguments
            call = Collection(who, **{parts_by_name[name]: bound[name] for name in bound})
            self.calls.append(call)
            if len(self.calls) > MANY_CALLS:
                raise RunawayError("paths are collected on and on")
            known.bind(*args, **kwargs)  # raises TypeError where an argument is missing
            return self._result(who, call.count)

        return collect

    def _path(self) -> dict[str, np.ndarray]:
        number, rows = len(self.lengths), PATH_LENGTHS[len(self.lengths) % len(PATH_LENGTHS)]
        self.lengths.append(rows)
        return {name: np.full(rows, number, np.float32) for name in FIELDS}

    def _result(self, who: str, count: Any) -> Any:
        if who == TRAJECTORY:
            return self._path()
        wanted = int(number_or_nan(count)) if number_or_nan(count) > 0 else 0
        if who == N_TRAJECTORIES:
            return [self._path() for _ in range(wanted)]
        first = len(self.lengths)
        paths: list[dict[str, np.ndarray]] = []
        while sum(self.lengths[first:]) < wanted or len(paths) < 3:
            paths.append(self._path())
        return paths, sum(self.lengths[first:])


def number_or_nan(value: Any) -> float:
    """Returns a number; nan for anything else, and for a truth value."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        return float("nan")
    return float(value)

"""What stands around the trainer's two blanks: settings, and functions that collect paths.

They write down by whom and with what they were called. Arguments are known by their part
(`ROLES`), numbers by themselves, since no two settings are equal.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import numpy as np

TRAIN_STEPS = 3
SETTINGS = ("batch_size", "train_batch_size", "eval_batch_size", "ep_len", "video_len", "size")
SIZES = (37, 41, 43, 47, 53, 59)
PATH_LENGTHS = (5, 7, 11)  # of collected paths, over and over: no sum is one of SIZES
TRAJECTORIES, N_TRAJECTORIES, TRAJECTORY = range(3)  # who collected
ENV, EVAL_ENV, POLICY, ACTOR, AGENT, OTHER = range(6)  # what was given to them
NAMES = ("sample_trajectories", "sample_n_trajectories", "sample_trajectory")
SLOTS = {  # in the order of the course
    "env": "^env",
    "policy": "policy|actor|agent",
    "count": "^min|batch|traj|num",
    "length": "^max|len",
    "render": "^render$",
}
MANY_CALLS = 120


def settings(seed: int) -> dict[str, Any]:
    """Draws a trainer's settings; the sizes all differ."""
    rng = np.random.default_rng([285, 12, seed])
    sizes = dict(zip(SETTINGS, (int(size) for size in rng.permutation(SIZES)), strict=True))
    return {
        **sizes,
        "batch_size_initial": sizes["batch_size"],
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


def build(module: ModuleType, seed: int, **parts: Any) -> Any:
    """Returns the student's trainer among fakes, without whatever its `__init__` does."""
    trainer = object.__new__(module.RL_Trainer)
    logging = dict.fromkeys(("logvideo", "log_video", "logmetrics", "log_metrics"), False)
    vars(trainer).update({"params": settings(seed), "total_envsteps": 0, **logging, **parts})
    return trainer


class RunawayError(Exception):
    """A loop that never has enough."""


class Collector:
    """Stands for the functions that collect: notes the calls, and returns known paths."""

    def __init__(self, roles: Mapping[int, Any]) -> None:
        """Knows arguments by identity: part -> thing."""
        self.roles = roles
        self.calls: list[tuple[float, ...]] = []  # who, env, policy, count, length, render
        self.lengths: list[int] = []  # of the paths collected so far; a path's number is its place

    def role_of(self, thing: Any) -> float:
        """Returns the part of an argument."""
        found = [role for role, known in self.roles.items() if known is thing]
        return float(found[0]) if found else float(OTHER)

    def stand_in(self, who: int, original: Any) -> Callable[..., Any]:
        """Returns a function to stand for `original`, with its parameters if it has any."""
        example = _trajectory if who == TRAJECTORY else _trajectories
        known = inspect.signature(original if inspect.isfunction(original) else example)
        slots = slots_of(list(known.parameters), who)

        def collect(*args: Any, **kwargs: Any) -> Any:
            bound = known.bind_partial(*args, **kwargs).arguments
            given = {slots[name]: value for name, value in bound.items() if name in slots}
            self._note(who, given)
            known.bind(*args, **kwargs)  # raises TypeError where an argument is missing
            return self._result(who, given.get("count"))

        return collect

    def _note(self, who: int, given: Mapping[str, Any]) -> None:
        parts = (self.role_of(given.get("env")), self.role_of(given.get("policy")))
        numbers = (number_or_nan(given.get("count")), number_or_nan(given.get("length")))
        self.calls.append((float(who), *parts, *numbers, float(bool(given.get("render")))))
        if len(self.calls) > MANY_CALLS:
            raise RunawayError("paths are collected on and on")

    def _path(self) -> dict[str, np.ndarray]:
        number, rows = len(self.lengths), PATH_LENGTHS[len(self.lengths) % len(PATH_LENGTHS)]
        self.lengths.append(rows)
        names = ("observation", "action", "reward", "next_observation", "terminal", "image_obs")
        return {name: np.full(rows, number, np.float32) for name in names}

    def _result(self, who: int, count: Any) -> Any:
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


def _trajectories(
    env: Any, policy: Any, min_timesteps_per_batch: int, max_path_length: int, render: bool = False
) -> None:
    """Has the course's parameters; so has what plays a number of paths."""


def _trajectory(env: Any, policy: Any, max_path_length: int, render: bool = False) -> None:
    """Has the course's parameters."""


def slots_of(names: list[str], who: int) -> dict[str, str]:
    """Returns the part of each parameter of a function that collects: by name, else by place."""
    order = [slot for slot in SLOTS if who != TRAJECTORY or slot != "count"]
    found: dict[str, str] = {}
    for name in names:
        slot = next((slot for slot in order if re.search(SLOTS[slot], name)), None)
        if slot and slot not in found.values():
            found[name] = slot
    needed = set(order) - {"render"}
    return found if needed <= set(found.values()) else dict(zip(names, order, strict=False))


def number_or_nan(value: Any) -> float:
    """Returns a number; nan for anything else, and for a truth value."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        return float("nan")
    return float(value)

"""What stands around the trainer's two blanks: settings, what collects paths, and an agent.

They write down with what they were called: numbers are known by themselves, since no two settings
are equal.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from functools import partial
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from autograder.homeworks.hw3.fakes.transitions import TRAIN_ORDER, stand_in
from autograder.running.probing import Student, number_in, plain_array

TRAIN_STEPS = 3
SETTINGS = ("batch_size", "train_batch_size", "eval_batch_size", "ep_len", "video_len", "size")
SIZES = (37, 41, 43, 47, 53, 59)
PATH_LENGTHS = (5, 7, 11)  # of collected paths, over and over: no sum is one of SIZES
TRAJECTORIES, N_TRAJECTORIES, TRAJECTORY = NAMES = (
    "sample_trajectories", "sample_n_trajectories", "sample_trajectory",
)  # fmt: skip
FIELDS = ("observation", "action", "reward", "next_observation", "terminal", "image_obs")
ROLES = ("env", "policy", "count", "length", "render")  # of what these functions are given
MANY_CALLS = 120
SMALL, SILENT = 1, 2  # the batch, from 1, of one row; and the training that logs nothing
DRAWS = ("sample", "sample_recent_data", "sample_random_data")
LOG = 100  # and the number of a training: what it logs


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


class Collector:
    """Stands for the functions that collect: notes the calls, and returns known paths."""

    def __init__(self, *places: Any) -> None:
        """Stands wherever in these modules such a function does."""
        self.calls: list[Any] = []  # who was called, and with what: see `ROLES`
        self.lengths: list[int] = []  # of the paths collected so far; a path's number is its place
        for place in places:
            for name in set(NAMES) & set(vars(place)):
                setattr(place, name, self._spy(name, getattr(place, name)))

    def _spy(self, who: str, real: Callable[..., Any]) -> Callable[..., Any]:
        """Returns what takes a function's arguments, and notes them."""
        known = inspect.signature(real)
        roles = [role for role in ROLES if (role, who) != ("count", TRAJECTORY)]
        role_of = dict(zip(known.parameters, roles, strict=False))

        @functools.wraps(real)
        def collect(*args: Any, **kwargs: Any) -> Any:
            bound = known.bind_partial(*args, **kwargs).arguments
            given = {role_of[name]: value for name, value in bound.items()}
            self.calls.append(SimpleNamespace(who=who, **dict.fromkeys(ROLES) | given))
            if len(self.calls) > MANY_CALLS:
                raise RunawayError("paths are collected on and on")
            known.bind(*args, **kwargs)  # raises TypeError where an argument is missing
            return self._result(who, number_in(given.get("count"), 0.0))

        return collect

    def _path(self) -> dict[str, np.ndarray]:
        number, rows = len(self.lengths), PATH_LENGTHS[len(self.lengths) % len(PATH_LENGTHS)]
        self.lengths.append(rows)
        return {name: np.full(rows, number, np.float32) for name in FIELDS}

    def _result(self, who: str, wanted: float) -> Any:
        if who == TRAJECTORY:
            return self._path()
        if who == N_TRAJECTORIES:
            return [self._path() for _ in range(int(wanted))]
        first, paths = len(self.lengths), list[Any]()
        while sum(self.lengths[first:]) < wanted or len(paths) < 3:
            paths.append(self._path())
        return paths, sum(self.lengths[first:])


def drawn(seed: int, number: int) -> tuple[np.ndarray, ...]:
    """Returns a batch in `train`'s order: other numbers backwards, rounded, clipped or unsigned."""
    rng = np.random.default_rng([285, 34, seed, number])

    def some(size: int) -> np.ndarray:
        signs, sizes = np.resize([1, -1], size), np.linspace(0.37, 19.3, size)
        return np.asarray(signs * rng.permutation(sizes), np.float32)

    ends = np.array([0, 1, 0, 0, 1, 1, 0], np.float32)[: 1 if number == SMALL else None]
    rows = len(ends)
    obs, next_obs = some(6 * rows).reshape(2, rows, 3)
    return obs, some(2 * rows).reshape(rows, 2), some(rows), next_obs, ends


class Agent:
    """An agent that notes what it is asked, and learns nothing."""

    on_policy = at_episode_start = True
    t = 0

    def __init__(self, student: Student, seed: int) -> None:
        """Takes what the student's own agent takes."""
        self.seed = seed
        self.sizes: list[float] = []
        self.calls = dict.fromkeys(("trainings", "samples", "samples_past", "updates_past"), 0)
        self.notes: list[tuple[str, np.ndarray, np.ndarray]] = []
        own: Any = student.module("agents.ac_agent").ACAgent
        self.train = stand_in(own.train, TRAIN_ORDER, self.learn)
        self.actor = self.critic = SimpleNamespace(update=partial(self.count, "updates_past"))
        past = dict.fromkeys(DRAWS, partial(self.sample, past=True))
        self.replay_buffer = SimpleNamespace(**past)

    def updates_due(self) -> int:
        """Returns how often it is to learn."""
        return TRAIN_STEPS

    def count(self, what: str, *_: Any, **__: Any) -> dict[str, float]:
        """Counts a call; an update of a part logs nothing."""
        self.calls[what] += 1
        if sum(self.calls.values()) > MANY_CALLS:
            raise RunawayError("training goes on and on")
        return {}

    def sample(self, batch_size: int, past: bool = False) -> tuple[np.ndarray, ...]:
        """Returns a fresh batch; `past`: to whoever goes past the agent."""
        if past:
            self.count("samples_past")
        self.count("samples")
        self.sizes.append(number_in(batch_size))
        return drawn(self.seed, self.calls["samples"])

    def learn(self, given: Mapping[str, Any]) -> dict[str, float]:
        """Notes the arguments beside the last batch; returns a log."""
        self.count("trainings")
        wanted = drawn(self.seed, self.calls["samples"])
        for role, array in zip(TRAIN_ORDER, wanted, strict=True):
            self.notes.append((f"train_gets_{role}", plain_array(given.get(role, array)), array))
        number = self.calls["trainings"]
        return {} if number == SILENT else {"Critic_Loss": float(LOG + number), "Actor_Loss": -1.0}

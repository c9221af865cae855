"""What stands around the trainer's two blanks: an agent, and functions that collect paths.

All of them write down by whom and with what they were called. Arguments are known by their part
(`ROLES`), numbers by themselves, since no two settings are equal.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
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
EMPTY_LOG = 2  # the call of `train`, from 1, that has nothing to log
# What came in the place of an argument of `train`, besides 0 to 4: its place in the batch.
TUPLE, STRANGER = -1, -2
SAMPLE, TRAIN, OTHER_SAMPLE, OTHER_TRAIN = range(4)  # what the agent was asked
BATCH, UNITS, PLACE = 5, 10, 100  # UNITS * number + place stands for an array of a batch


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


@dataclass
class Memory:
    """A replay buffer that nobody but the agent should ask."""

    agent: SpyAgent

    def __getattr__(self, name: str) -> Any:
        """Offers any way of sampling."""
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **_: self.agent.give(OTHER_SAMPLE, args)


class Learner:
    """An actor or critic that nobody but the agent should update."""

    def __init__(self, agent: SpyAgent) -> None:
        """Belongs to `agent`."""
        self.agent = agent

    def update(self, *args: Any, **kwargs: Any) -> dict[str, float]:
        """Notes that it was asked."""
        self.agent.note(OTHER_TRAIN, [], 0)
        return {}


class SpyAgent:
    """An agent whose batches tell by their values what they are."""

    on_policy = True
    at_episode_start = True

    def __init__(self, order: Callable[[str], int]) -> None:
        """Knows an argument's place in a batch by its name, through `order`."""
        self.order = order
        self.calls: list[tuple[float, ...]] = []  # what, the number asked for, six arguments
        self.batches = 0
        self.given: list[tuple[float, np.ndarray]] = []  # all arrays, each with what stands for it
        self.trainings = 0
        self.replay_buffer = Memory(self)
        self.actor, self.critic = Learner(self), Learner(self)

    def note(self, what: int, parts: list[float], size: float) -> None:
        """Writes down a call."""
        padded = [*parts, *[float("nan")] * 6][:6]
        self.calls.append((float(what), size, *padded))
        if len(self.calls) > MANY_CALLS:
            raise RunawayError("training goes on and on")

    def give(self, what: int, args: tuple[Any, ...]) -> tuple[np.ndarray, ...]:
        """Returns a fresh batch."""
        self.note(what, [], number_or_nan(args[0]) if args else float("nan"))
        self.batches += 1
        first = UNITS * self.batches
        shapes = ((BATCH, 3), (BATCH,), (BATCH,), (BATCH, 3), (BATCH,))
        batch = [drawn(first + place, shape) for place, shape in enumerate(shapes)]
        self.given += [(float(first + place), array) for place, array in enumerate(batch)]
        return tuple(array.copy() for array in batch)

    def part_of(self, argument: Any) -> float:
        """Returns what stands for an array that was given; else what the argument is instead."""
        if isinstance(argument, tuple | list) and argument and np.ndim(argument[0]) > 0:
            return TUPLE
        try:
            if hasattr(argument, "detach"):
                argument = argument.detach().cpu().numpy()
            values = np.asarray(argument, np.float32)
        except Exception:  # noqa: BLE001  (a student's object may raise anything)
            return STRANGER
        known = (part for part, array in self.given if np.array_equal(array, values))
        return next(known, STRANGER)

    def sample(self, *args: Any, **kwargs: Any) -> tuple[np.ndarray, ...]:
        """Returns a batch in `train`'s order."""
        return self.give(SAMPLE, (*args, *kwargs.values()))

    def add_to_replay_buffer(self, paths: Any) -> None:
        """Stores nothing; who adds paths that the loop adds too, adds them in place of those."""

    def train(self, *args: Any, **kwargs: Any) -> dict[str, float]:
        """Learns nothing; returns a log that tells which call it was, now and then an empty one."""
        parts = [self.part_of(argument) for argument in args]
        for name, value in kwargs.items():
            place = self.order(name)
            parts += [float("nan")] * (place + 1 - len(parts))
            parts[place] = self.part_of(value)
        self.note(TRAIN, parts, float(len(args) + len(kwargs)))
        self.trainings += 1
        if self.trainings == EMPTY_LOG:
            return {}
        return {"Critic_Loss": float(PLACE + self.trainings), "Actor_Loss": -1.0}


def drawn(part: int, shape: tuple[int, ...]) -> np.ndarray:
    """Returns an array whose numbers have both signs, are not whole, and differ from row to row."""
    return np.random.RandomState(part).uniform(-20, 20, shape).astype(np.float32)

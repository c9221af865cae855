"""Probes of the trainer: who collects its paths, and what it lets the agent learn from."""

from __future__ import annotations

import functools
import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from types import ModuleType
from typing import Any

import numpy as np

from autograder.hw3.probe_step_env import Fake
from autograder.hw3.trainer_world import (
    ACTOR,
    AGENT,
    ENV,
    EVAL_ENV,
    NAMES,
    POLICY,
    Collector,
    SpyAgent,
    number_or_nan,
    settings,
)
from autograder.probing import Student

ROLLOUTS = "cs285.infrastructure.rollouts"
# An argument of `train`, by its name -> its place. The first that fits.
PLACES = {"^next": 3, "term|done": 4, "ob": 0, "^ac": 1, "^re": 2}
COURSE_NAMES = ("ob_no", "ac_na", "re_n", "next_ob_no", "terminal_n")
NUMBER, PATHS, OTHER_THING = range(3)  # what a result is


class Asked(Fake):
    """Counts what is asked of it."""

    asked = 0

    def __getattr__(self, name: str) -> Any:
        """Offers any method."""
        method = super().__getattr__(name)

        def counted(*args: Any, **kwargs: Any) -> Any:
            self.asked += 1
            return method(*args, **kwargs)

        return counted


def build(module: ModuleType, seed: int, **parts: Any) -> Any:
    """Returns the student's trainer among fakes, without whatever its `__init__` does."""
    trainer = object.__new__(module.RL_Trainer)
    logging = dict.fromkeys(("logvideo", "log_video", "logmetrics", "log_metrics"), False)
    vars(trainer).update({"params": settings(seed), "total_envsteps": 0, **logging, **parts})
    return trainer


@contextmanager
def replaced(collector: Collector, module: ModuleType) -> Iterator[None]:
    """Puts a collector's functions wherever the trainer may find those that collect."""
    reached = [*vars(module).values(), sys.modules.get(ROLLOUTS)]
    imported = {id(value): value for value in reached if isinstance(value, ModuleType)}
    places = [m for m in imported.values() if NAMES[0] in vars(m)]
    before = []
    for place in [*places, module]:
        for who, name in enumerate(NAMES):
            if place is not module or name in vars(module):
                original = vars(place).get(name)
                before.append((place, name, original))
                setattr(place, name, collector.stand_in(who, original))
    try:
        yield
    finally:
        for place, name, original in reversed(before):
            setattr(place, name, original)


def arguments_of(method: Any, itr: int, policy: Any, batch_size: int) -> dict[str, Any]:
    """Returns what to call a trainer's `collect_training_trajectories` with."""
    values = {"^itr": itr, "policy": policy, "batch|num": batch_size}
    found = {}
    for name, parameter in inspect.signature(method).parameters.items():
        value = next((v for text, v in values.items() if re.search(text, name)), None)
        if value is not None or parameter.default is inspect.Parameter.empty:
            found[name] = value
    return found


def describe_result(name: str, result: Any, seen: dict[str, Any]) -> None:
    """Notes what a result is: a number, or paths, by their numbers."""
    number = number_or_nan(result)
    is_list = isinstance(result, list | tuple)
    paths = is_list and all(isinstance(p, Mapping) and "reward" in p for p in result)
    seen[f"{name}_is"] = PATHS if paths else OTHER_THING if np.isnan(number) else NUMBER
    seen[name] = [float(np.asarray(p["reward"])[0]) for p in result] if paths else number
    seen[f"{name}_items"] = len(result) if is_list else -1


def collect(student: Student, seed: int, itr: int, seen: dict[str, Any]) -> None:
    """Lets the trainer collect paths once."""
    env, eval_env, policy, agent = Asked(), Fake(), Fake(), SpyAgent(place_of)
    roles = {ENV: env, EVAL_ENV: eval_env, POLICY: policy, ACTOR: agent.actor, AGENT: agent}
    collector = Collector(roles)
    module = student.module("infrastructure.rl_trainer")
    trainer = build(module, seed, env=env, eval_env=eval_env, agent=agent)
    method = trainer.collect_training_trajectories
    try:
        with replaced(collector, module):
            size = settings(seed)["batch_size"]
            result = method(**arguments_of(method, itr, policy, size))
    finally:
        seen["asked"] = env.asked
        seen["counted"] = number_or_nan(trainer.total_envsteps)
        seen["calls"] = np.array(collector.calls).reshape(-1, 6)
        seen["lengths"] = np.array(collector.lengths, int)
    if isinstance(result, tuple) and len(result) >= 2:
        describe_result("first", result[0], seen)
        describe_result("second", result[1], seen)


def place_of(name: str, known: frozenset[str] = frozenset(COURSE_NAMES)) -> int:
    """Returns the place of an argument of `train` by its name.

    Raises:
        TypeError: If no agent's `train` has such an argument.
    """
    if name not in known:
        raise TypeError(f"train() got an unexpected keyword argument {name!r}")
    return next(place for text, place in PLACES.items() if re.search(text, name))


def own_parameters(student: Student) -> list[list[str]]:
    """Returns the names of the arguments that the student's own agents' `train` takes."""
    found = []
    for file, name in (("agents.ac_agent", "ACAgent"), ("agents.dqn_agent", "DQNAgent")):
        with suppress(Exception):
            train = getattr(student.module(file), name).train
            names = list(inspect.signature(train).parameters)[1:]
            if all(any(re.search(text, n) for text in PLACES) for n in names):
                found.append(names)
    return found


def train(student: Student, seed: int, seen: dict[str, Any]) -> None:
    """Lets the trainer train its agent for one iteration."""
    own = own_parameters(student)
    known = frozenset([*COURSE_NAMES, *(name for names in own for name in names)])
    seen["own_orders"] = [[place_of(n, known) for n in names] for names in own if len(names) == 5]
    agent = SpyAgent(functools.partial(place_of, known=known))
    module = student.module("infrastructure.rl_trainer")
    trainer = build(module, seed, env=Fake(), eval_env=Fake(), agent=agent)
    try:
        logs = trainer.train_agent()
    finally:
        seen["calls"] = np.array(agent.calls).reshape(-1, 8)
    seen["is_list"] = isinstance(logs, list | tuple)
    seen["is_log"] = isinstance(logs, Mapping)
    if isinstance(logs, list | tuple):
        seen["logs"] = [
            float(next(iter(log.values()), 0.0)) if isinstance(log, Mapping) else np.nan
            for log in logs
        ]
        seen["texts"] = sum(isinstance(log, str) for log in logs)
    elif isinstance(logs, Mapping):
        seen["logs"] = [float(value) for value in logs.values()][:1]


def probe_collect(student: Student, seed: int) -> None:
    """Collects in the first iteration, which some treat apart, and in a later one."""
    for name, itr in (("first", 0), ("later", 4)):
        student.try_out(name, functools.partial(collect, student, seed, itr))


def probe_train(student: Student, seed: int) -> None:
    """Trains for one iteration."""
    student.try_out("train", functools.partial(train, student, seed))

"""Probe of the trainer: who collects its paths."""

from __future__ import annotations

import functools
import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from autograder.hw3.step_agent import Fake
from autograder.hw3.trainer_world import (
    ACTOR,
    AGENT,
    ENV,
    EVAL_ENV,
    NAMES,
    POLICY,
    Collector,
    build,
    number_or_nan,
    settings,
)
from autograder.probing import Student

ROLLOUTS = "cs285.infrastructure.rollouts"
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
    env, eval_env, policy, agent = (
        Asked(),
        Fake(),
        Fake(),
        SimpleNamespace(actor=Fake(), add_to_replay_buffer=lambda paths: None),
    )
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


def probe_collect(student: Student, seed: int) -> None:
    """Collects in the first iteration, which some treat apart, and in a later one."""
    for name, itr in (("first", 0), ("later", 4)):
        student.try_out(name, functools.partial(collect, student, seed, itr))

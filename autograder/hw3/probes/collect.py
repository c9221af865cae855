"""Lets the trainer collect paths: which environment, whose actions, how many steps.

Functions that collect are replaced by ones that write down how they are called.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from autograder.hw3.step_agent import Fake
from autograder.hw3.trainer_world import (
    ACTOR,
    AGENT,
    ENV,
    EVAL_ENV,
    N_TRAJECTORIES,
    NAMES,
    POLICY,
    TRAJECTORIES,
    TRAJECTORY,
    Collector,
    RunawayError,
    build,
    number_or_nan,
    settings,
)
from autograder.probing import Student

ROLLOUTS = "cs285.infrastructure.rollouts"
NUMBER, PATHS, OTHER_THING = range(3)  # what a result is
SETTING = re.compile("'dict' object has no attribute|'mappingproxy' object has no attribute")
MISSING = re.compile(
    "missing a required|missing .* required|unexpected keyword|too many positional"
)
Found = set[str]


@dataclass(frozen=True)
class Collection:
    """A call of a function that collects."""

    who: int
    env: float
    policy: float
    count: float
    length: float
    render: float


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


class Thing(NamedTuple):
    """What one of the results is: a number, or paths, by their numbers."""

    kind: int
    value: Any
    items: int


def thing(result: Any) -> Thing:
    """Says what a result is."""
    number = number_or_nan(result)
    is_list = isinstance(result, list | tuple)
    items = len(result) if is_list else -1
    if is_list and all(isinstance(path, Mapping) and "reward" in path for path in result):
        return Thing(PATHS, [float(np.asarray(path["reward"])[0]) for path in result], items)
    return Thing(OTHER_THING if np.isnan(number) else NUMBER, number, items)


def collect(student: Student, seed: int, itr: int, seen: dict[str, Any]) -> None:
    """Lets the trainer collect paths once; notes flags of what is wrong, and two numbers."""
    env, eval_env, policy = Asked(), Fake(), Fake()
    agent = SimpleNamespace(actor=Fake(), add_to_replay_buffer=lambda paths: None)
    roles = {ENV: env, EVAL_ENV: eval_env, POLICY: policy, ACTOR: agent.actor, AGENT: agent}
    collector, sizes, found = Collector(roles), settings(seed), Found()
    module = student.module("infrastructure.rl_trainer")
    trainer = build(module, seed, env=env, eval_env=eval_env, agent=agent)
    method = trainer.collect_training_trajectories
    try:
        with replaced(collector, module):
            result = method(**arguments_of(method, itr, policy, sizes["batch_size"]))
    except Exception as error:
        note_calls(calls_of(collector), sizes, found)
        found |= told_by(error, calls_of(collector), found)
        if not found:
            raise
    else:
        note_calls(calls_of(collector), sizes, found)
        if not collector.calls:
            found.add("nothing_collected")
        elif not {"collected_twice", "paths_for_steps"} & found:
            note_results(result, collector, sizes, found)
    finally:
        if env.asked:
            found.add("environment_touched")
        if trainer.total_envsteps:
            found.add("counted_twice")
        seen |= dict.fromkeys(found, True)
    seen["steps"] = sum(collector.lengths)
    seen["max_path_length"] = np.unique([call.length for call in calls_of(collector)])


def calls_of(collector: Collector) -> list[Collection]:
    """Returns what was called, in order."""
    return [Collection(int(call[0]), *call[1:]) for call in collector.calls]


def note_calls(calls: list[Collection], sizes: Mapping[str, int], found: Found) -> None:
    """Judges the arguments of each call, and how many there are."""
    for call in calls:
        swapped = (call.env, call.policy) == (POLICY, ENV)
        counted = call.who != TRAJECTORY
        exchanged = counted and call.count == sizes["ep_len"] and call.length == sizes["batch_size"]
        if swapped or exchanged:
            found.add("arguments_swapped")
        if not swapped:
            note_parts(call, found)
        if call.who == TRAJECTORY and call.length == sizes["batch_size"]:
            found.add("one_trajectory")
            continue
        if not exchanged:
            note_numbers(call, sizes, found)
        if call.render:
            found.add("rendered")
    if sum(call.who == TRAJECTORIES for call in calls) > 1:
        found.add("collected_twice")


def note_parts(call: Collection, found: Found) -> None:
    """Judges which environment is played, and by whom."""
    if call.env != ENV:
        found.add("eval_env" if call.env == EVAL_ENV else "other_env")
    if call.policy not in (POLICY, ACTOR):  # in real runs they are the same
        found.add("other_policy")


def note_numbers(call: Collection, sizes: Mapping[str, int], found: Found) -> None:
    """Judges how many steps are collected, and how long a path may be."""
    if call.who == TRAJECTORIES and call.count != sizes["batch_size"]:
        found.add("wrong_count")
    if call.who == N_TRAJECTORIES and call.count != 1:
        found.add("paths_for_steps")
    if np.isnan(call.length):
        found.add("no_path_length")
    elif call.length != sizes["ep_len"]:
        found.add("wrong_path_length")


def told_by(error: Exception, calls: list[Collection], found: Found) -> Found:
    """Returns the mistakes that an exception tells of, with the calls before it."""
    who = {call.who for call in calls}
    if "unpack" in str(error):
        if who == {TRAJECTORY}:
            return {"one_trajectory"}
        return {"paths_for_steps" if N_TRAJECTORIES in who else "results"}
    if isinstance(error, RunawayError):
        return {"too_many_steps"}
    if isinstance(error, TypeError) and MISSING.search(str(error)) and not found:
        return {"arguments"}
    if isinstance(error, KeyError) or SETTING.search(str(error)):
        return {"no_such_setting"}
    return Found()


def note_results(result: Any, collector: Collector, sizes: Mapping[str, int], found: Found) -> None:
    """Judges the two things returned: all paths collected, and the number of their steps."""
    if not isinstance(result, tuple) or len(result) < 2:
        found.add("results")
        return
    first, second = thing(result[0]), thing(result[1])
    if (first.kind, second.kind) == (NUMBER, PATHS):
        found.add("results_swapped")
    elif first.kind != PATHS:
        pair = first.kind == OTHER_THING and first.items == 2
        found.add("pair_not_unpacked" if pair else "results")
    elif first.value != list(range(len(collector.lengths))):
        found.add("paths_lost")
    else:
        note_steps(second, collector, sizes["batch_size"], found)


def note_steps(steps: Thing, collector: Collector, wanted: int, found: Found) -> None:
    """Judges the number of steps returned; where paths come one by one, also when to stop."""
    lengths = collector.lengths
    if steps.kind != NUMBER or steps.value != sum(lengths):
        found.add("wrong_steps")
    if calls_of(collector)[0].who == TRAJECTORIES or "one_trajectory" in found:
        return
    if sum(lengths) < wanted:
        found.add("too_few_steps")
    elif sum(lengths[:-1]) > wanted:
        found.add("too_many_steps")


def probe(student: Student, seed: int) -> None:
    """Collects in the first iteration, which some treat apart, and in a later one."""
    for name, itr in (("first", 0), ("later", 4)):
        student.try_out(name, functools.partial(collect, student, seed, itr))

"""Lets the trainer collect paths: which environment, whose actions, how many steps.

Functions that collect are replaced by ones that write down how they are called.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import numpy as np

from autograder.hw3.step_agent import Fake
from autograder.hw3.trainer_world import (
    N_TRAJECTORIES,
    TRAJECTORIES,
    TRAJECTORY,
    Collection,
    Collector,
    RunawayError,
    build,
    number_or_nan,
    settings,
)
from autograder.probing import Student, call_by_names

SETTING = re.compile("'dict' object has no attribute|'mappingproxy' object has no attribute")
MISSING = re.compile(
    "missing a required|missing .* required|unexpected keyword|too many positional"
)
Found = set[str]


def collect(student: Student, seed: int, itr: int, seen: dict[str, Any]) -> None:
    """Lets the trainer collect paths once; notes flags of what is wrong, and two numbers."""
    module, policy, found = student.module("infrastructure.rl_trainer"), Fake(), Found()
    collector = Collector(student.module("infrastructure.rollouts"), module)
    agent = SimpleNamespace(actor=Fake(), add_to_replay_buffer=lambda paths: None)
    trainer = build(module, params=settings(seed), env=Mock(), eval_env=Fake(), agent=agent)
    env, batch_size = trainer.env, trainer.params["batch_size"]
    given = {"^itr": itr, "policy": policy, "batch|num": batch_size}
    try:
        result = call_by_names(trainer.collect_training_trajectories, given)
    except Exception as error:
        note_calls(collector.calls, trainer, policy, found)
        found |= told_by(error, collector.calls, found)
        if not found:
            raise
    else:
        note_calls(collector.calls, trainer, policy, found)
        if not collector.calls:
            found.add("nothing_collected")
        elif not {"collected_twice", "paths_for_steps"} & found:
            note_results(result, collector, batch_size, found)
    finally:
        if env.mock_calls:
            found.add("environment_touched")
        if trainer.total_envsteps:
            found.add("counted_twice")
        seen |= dict.fromkeys(found, True)
    seen["steps"] = sum(collector.lengths)
    seen["max_path_length"] = np.unique([number_or_nan(call.length) for call in collector.calls])


def note_calls(calls: list[Collection], trainer: Any, policy: Any, found: Found) -> None:
    """Judges with what paths are collected."""
    policies = (policy, trainer.agent.actor)  # in real runs they are the same
    for call in calls:
        if call.env in policies and call.policy is trainer.env:
            found.add("arguments_swapped")
        else:
            if call.env is not trainer.env:
                found.add("eval_env" if call.env is trainer.eval_env else "other_env")
            if call.policy not in policies:
                found.add("other_policy")
        note_numbers(call, trainer.params, found)
    if sum(call.who == TRAJECTORIES for call in calls) > 1:
        found.add("collected_twice")


def note_numbers(call: Collection, sizes: Mapping[str, int], found: Found) -> None:
    """Judges how many steps are collected, and how long a path may be."""
    if call.who == TRAJECTORY and call.length == sizes["batch_size"]:
        found.add("one_trajectory")
        return
    if call.render:
        found.add("rendered")
    if (call.count, call.length) == (sizes["ep_len"], sizes["batch_size"]):
        found.add("arguments_swapped")
        return
    if call.who == TRAJECTORIES and call.count != sizes["batch_size"]:
        found.add("wrong_count")
    if call.who == N_TRAJECTORIES and call.count != 1:
        found.add("paths_for_steps")
    if np.isnan(number_or_nan(call.length)):
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


def are_paths(thing: Any) -> bool:
    """Tells whether something is a list of paths."""
    return isinstance(thing, list | tuple) and all(
        isinstance(path, Mapping) and "reward" in path for path in thing
    )


def note_results(result: Any, collector: Collector, wanted: int, found: Found) -> None:
    """Judges what is returned: all paths collected, and the number of their steps.

    Where paths come one by one, also when that stops.
    """
    if not isinstance(result, tuple) or len(result) < 2:
        found.add("results")
        return
    (paths, steps), lengths = result[:2], collector.lengths
    if not are_paths(paths):
        swapped, pair = are_paths(steps), isinstance(paths, list | tuple) and len(paths) == 2
        swapped &= not np.isnan(number_or_nan(paths))
        found.add("results_swapped" if swapped else "pair_not_unpacked" if pair else "results")
        return
    if [float(np.asarray(path["reward"])[0]) for path in paths] != [*range(len(lengths))]:
        found.add("paths_lost")
        return
    if number_or_nan(steps) != sum(lengths):
        found.add("wrong_steps")
    if collector.calls[0].who != TRAJECTORIES and "one_trajectory" not in found:
        if sum(lengths) < wanted:
            found.add("too_few_steps")
        elif sum(lengths[:-1]) > wanted:
            found.add("too_many_steps")


def probe(student: Student, seed: int) -> None:
    """Collects in the first iteration, which some treat apart, and in a later one."""
    for name, itr in (("first", 0), ("later", 4)):
        student.try_out(name, functools.partial(collect, student, seed, itr))

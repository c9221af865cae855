"""Lets the trainer collect paths: which environment, whose actions, how many steps.

Functions that collect are replaced by ones that write down how they are called.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import numpy as np

from autograder.hw3 import trainer_world as world
from autograder.hw3.step_agent import Fake
from autograder.hw3.trainer_world import Collection, Collector, number_or_nan
from autograder.probing import Student, call_by_names

SETTING = re.compile("'(dict|mappingproxy)' object has no attribute")
MISSING = re.compile("missing .* required|unexpected keyword|too many positional")
Found = set[str]


def collect(student: Student, seed: int, itr: int, seen: dict[str, Any]) -> None:
    """Lets the trainer collect paths once; notes flags of what is wrong, and two numbers."""
    module, policy, found = student.module("infrastructure.rl_trainer"), Fake(), Found()
    collector = Collector(student.module("infrastructure.rollouts"), module)
    agent = SimpleNamespace(actor=Fake(), add_to_replay_buffer=lambda paths: None)
    params, env = world.settings(seed), Mock()
    trainer = world.build(module, params=params, env=env, eval_env=Fake(), agent=agent)
    steps = "batch_size num_transitions_to_sample"
    given = {"itr": itr, "collect_policy": policy, steps: params["batch_size"]}
    try:
        result = call_by_names(trainer.collect_training_trajectories, given)
    except Exception as error:
        found.update(told_by_calls(collector.calls, trainer, policy))
        found |= told_by(error, collector.calls, found)
        if not found:
            raise
    else:
        found.update(told_by_calls(collector.calls, trainer, policy))
        if not collector.calls:
            found.add("nothing_collected")
        elif not {"collected_twice", "paths_for_steps"} & found:
            found |= told_by_result(result, collector, params["batch_size"], found)
    finally:
        if env.mock_calls:
            found.add("environment_touched")
        if trainer.total_envsteps:
            found.add("counted_twice")
        seen |= dict.fromkeys(found, True)
    seen["steps"] = sum(collector.lengths)
    seen["max_path_length"] = np.unique([number_or_nan(call.length) for call in collector.calls])


def told_by_calls(calls: list[Collection], trainer: Any, policy: Any) -> Iterator[str]:
    """Yields what is wrong with that which paths are collected with."""
    policies = (policy, trainer.agent.actor)  # in real runs they are the same
    for call in calls:
        if call.env in policies and call.policy is trainer.env:
            yield "arguments_swapped"
        else:
            if call.env is not trainer.env:
                yield "eval_env" if call.env is trainer.eval_env else "other_env"
            if call.policy not in policies:
                yield "other_policy"
        yield from told_by_numbers(call, trainer.params["batch_size"], trainer.params["ep_len"])
    if sum(call.who == world.TRAJECTORIES for call in calls) > 1:
        yield "collected_twice"


def told_by_numbers(call: Collection, batch_size: int, ep_len: int) -> Iterator[str]:
    """Yields what is wrong with how many steps are collected, and how long a path may be."""
    if call.who == world.TRAJECTORY and call.length == batch_size:
        yield "one_trajectory"
        return
    if call.render:
        yield "rendered"
    if (call.count, call.length) == (ep_len, batch_size):
        yield "arguments_swapped"
        return
    if call.who == world.TRAJECTORIES and call.count != batch_size:
        yield "wrong_count"
    if call.who == world.N_TRAJECTORIES and call.count != 1:
        yield "paths_for_steps"
    if np.isnan(number_or_nan(call.length)):
        yield "no_path_length"
    elif call.length != ep_len:
        yield "wrong_path_length"


def told_by(error: Exception, calls: list[Collection], found: Found) -> Found:
    """Returns the mistakes that an exception tells of, with the calls before it."""
    who = {call.who for call in calls}
    if "unpack" in str(error):
        if who == {world.TRAJECTORY}:
            return {"one_trajectory"}
        return {"paths_for_steps" if world.N_TRAJECTORIES in who else "results"}
    if isinstance(error, world.RunawayError):
        return {"too_many_steps"}
    if isinstance(error, TypeError) and MISSING.search(str(error)) and not found:
        return {"arguments"}
    setting = isinstance(error, KeyError) or SETTING.search(str(error))
    return {"no_such_setting"} if setting else Found()


def are_paths(thing: Any) -> bool:
    """Tells whether something is a list of paths."""
    return isinstance(thing, list | tuple) and all(
        isinstance(path, Mapping) and "reward" in path for path in thing
    )


def told_by_result(result: Any, collector: Collector, wanted: int, found: Found) -> Found:
    """Returns what is wrong with what is returned: all paths collected, and their steps.

    Where paths come one by one, also when that stops.
    """
    if not isinstance(result, tuple) or len(result) < 2:
        return {"results"}
    (paths, steps), lengths = result[:2], collector.lengths
    if not are_paths(paths):
        if are_paths(steps) and not np.isnan(number_or_nan(paths)):
            return {"results_swapped"}
        pair = isinstance(paths, list | tuple) and len(paths) == 2
        return {"pair_not_unpacked" if pair else "results"}
    if [float(np.asarray(path["reward"])[0]) for path in paths] != [*range(len(lengths))]:
        return {"paths_lost"}
    told = Found() if number_or_nan(steps) == sum(lengths) else {"wrong_steps"}
    if collector.calls[0].who != world.TRAJECTORIES and "one_trajectory" not in found:
        told |= {"too_few_steps"} if sum(lengths) < wanted else Found()
        told |= {"too_many_steps"} if sum(lengths[:-1]) > wanted else Found()
    return told


def probe(student: Student, seed: int) -> None:
    """Collects in the first iteration, which some treat apart, and in a later one."""
    for name, itr in (("first", 0), ("later", 4)):
        student.try_out(name, functools.partial(collect, student, seed, itr))

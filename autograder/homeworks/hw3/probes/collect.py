"""Lets the trainer collect paths: which environment, whose actions, how many steps.

Functions that collect are replaced by ones that write down how they are called.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import numpy as np

from autograder.homeworks.hw3.fakes import trainer as fake
from autograder.homeworks.hw3.fakes.given_code import Found, note
from autograder.homeworks.hw3.fakes.stepping_agent import Fake
from autograder.homeworks.hw3.fakes.trainer import Collection, Collector, number_or_nan
from autograder.running.probing import Student, call_by_names

SETTING = re.compile("'(dict|mappingproxy)' object has no attribute")
MISSING = re.compile("missing .* required|unexpected keyword|too many positional")


def cases(seed: int) -> Mapping[str, tuple[int, int]]:
    """Returns the seed of the settings, and the number of an iteration: some treat 0 apart."""
    return {"first": (seed, 0), "later": (seed, 4)}


def observe(student: Student, case: tuple[int, int]) -> dict[str, Any]:
    """Lets the trainer collect paths once; returns flags of what is wrong, and two numbers."""
    module, policy = student.module("infrastructure.rl_trainer"), Fake()
    collector = Collector(student.module("infrastructure.rollouts"), module)
    agent = SimpleNamespace(actor=Fake(), add_to_replay_buffer=lambda paths: None)
    params, env = fake.settings(case[0]), Mock()
    trainer = fake.build(module, params=params, env=env, eval_env=Fake(), agent=agent)
    steps, result = "batch_size num_transitions_to_sample", None
    given = {"itr": case[1], "collect_policy": policy, steps: params["batch_size"]}
    with student.up_to_a_crash():
        result = call_by_names(trainer.collect_training_trajectories, given)
    found = set(wrong_calls(collector.calls, trainer, policy))
    if isinstance(student.crashed, Exception):
        found |= meant_by(student.crashed, collector.calls, found)
        student.crashed = None if found else student.crashed
    elif not collector.calls:
        found.add("nothing_collected")
    elif not {"collected_twice", "paths_for_steps"} & found:
        found |= wrong_result(result, collector, params["batch_size"], found)
    touched, counted = bool(env.mock_calls), trainer.total_envsteps != 0
    note(found, environment_touched=touched, counted_twice=counted)
    lengths = [number_or_nan(call.length) for call in collector.calls]
    numbers = {"steps": sum(collector.lengths), "max_path_length": np.unique(lengths)}
    return numbers | dict.fromkeys(found, True)


def wrong_calls(calls: list[Collection], trainer: Any, policy: Any) -> Iterator[str]:
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
        yield from wrong_numbers(call, trainer.params["batch_size"], trainer.params["ep_len"])
    if sum(call.who == fake.TRAJECTORIES for call in calls) > 1:
        yield "collected_twice"


def wrong_numbers(call: Collection, batch_size: int, ep_len: int) -> Iterator[str]:
    """Yields what is wrong with how many steps are collected, and how long a path may be."""
    if call.who == fake.TRAJECTORY and call.length == batch_size:
        yield "one_trajectory"
        return
    if call.render:
        yield "rendered"
    if (call.count, call.length) == (ep_len, batch_size):
        yield "arguments_swapped"
        return
    if call.who == fake.TRAJECTORIES and call.count != batch_size:
        yield "wrong_count"
    if call.who == fake.N_TRAJECTORIES and call.count != 1:
        yield "paths_for_steps"
    if np.isnan(number_or_nan(call.length)):
        yield "no_path_length"
    elif call.length != ep_len:
        yield "wrong_path_length"


def meant_by(error: Exception, calls: list[Collection], found: Found) -> Found:
    """Returns the mistakes behind an exception, with the calls before it."""
    who = {call.who for call in calls}
    if "unpack" in str(error):
        if who == {fake.TRAJECTORY}:
            return {"one_trajectory"}
        return {"paths_for_steps" if fake.N_TRAJECTORIES in who else "results"}
    if isinstance(error, fake.RunawayError):
        return {"too_many_steps"}
    if isinstance(error, TypeError) and MISSING.search(str(error)) and not found:
        return {"arguments"}
    setting = isinstance(error, KeyError) or SETTING.search(str(error))
    return {"no_such_setting"} if setting else Found()


def are_paths(thing: Any) -> bool:
    """Returns whether something is a list of paths."""
    return isinstance(thing, list | tuple) and all(
        isinstance(path, Mapping) and "reward" in path for path in thing
    )


def wrong_result(result: Any, collector: Collector, wanted: int, found: Found) -> Found:
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
    wrong = Found() if number_or_nan(steps) == sum(lengths) else {"wrong_steps"}
    if collector.calls[0].who != fake.TRAJECTORIES and "one_trajectory" not in found:
        wrong |= {"too_few_steps"} if sum(lengths) < wanted else Found()
        wrong |= {"too_many_steps"} if sum(lengths[:-1]) > wanted else Found()
    return wrong

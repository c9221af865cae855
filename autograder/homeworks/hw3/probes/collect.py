"""Lets the trainer collect paths: which environment, whose actions, how many steps.

Functions that collect are replaced by ones that write down how they are called.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import numpy as np

from autograder.homeworks.hw3.fakes import trainer as fake
from autograder.homeworks.hw3.fakes.stepping_agent import Fake
from autograder.homeworks.hw3.fakes.trainer import Collector
from autograder.running.probing import Student, call_by_names, number_in

SETTING = re.compile("'(dict|mappingproxy)' object has no attribute")
MISSING = re.compile("missing .* required|unexpected keyword|too many positional")
Found = set[str]
"""The flags that are up by now: each is a mistake."""


def cases(seed: int) -> Mapping[str, tuple[int, int]]:
    """Returns the seed of the settings, and the number of an iteration: some treat 0 apart."""
    return {"first": (seed, 0), "later": (seed, 4)}


def observe(student: Student, case: tuple[int, int]) -> dict[str, Any]:
    """Lets the trainer collect paths once; returns flags of what is wrong, and two numbers."""
    module, policy = student.module("infrastructure.rl_trainer"), Fake()
    collector = Collector(student.module("infrastructure.rollouts"), module)
    agent = SimpleNamespace(actor=Fake(), add_to_replay_buffer=lambda paths: None)
    params, env, found = fake.settings(case[0]), Mock(), Found()
    trainer = fake.build(module, params=params, env=env, eval_env=Fake(), agent=agent)
    steps, result = "batch_size num_transitions_to_sample", None
    given = {"itr": case[1], "collect_policy": policy, steps: params["batch_size"]}
    with student.up_to_a_crash():
        result = call_by_names(trainer.collect_training_trajectories, given)
    for call in collector.calls:
        note_call(found, call, trainer, policy)
    twice = sum(call.who == fake.TRAJECTORIES for call in collector.calls) > 1
    note(found, collected_twice=twice, nothing_collected=not collector.calls)
    if isinstance(student.crashed, Exception):
        found.discard("nothing_collected")
        found |= meant_by(student.crashed, collector.calls, found)
        student.crashed = None if found else student.crashed
    elif not {"nothing_collected", "collected_twice", "paths_for_steps"} & found:
        note_result(found, result, collector, params["batch_size"])
    touched, counted = bool(env.mock_calls), trainer.total_envsteps != 0
    note(found, environment_touched=touched, counted_twice=counted)
    lengths = [number_in(call.length) for call in collector.calls]
    numbers = {"steps": sum(collector.lengths), "max_path_length": np.unique(lengths)}
    return numbers | dict.fromkeys(found, True)


def note(found: Found, **wrong: Any) -> None:
    """Raises the flags that are true, be it in one place."""
    found.update(flag for flag, up in wrong.items() if np.any(up))


def note_call(found: Found, call: Any, trainer: Any, policy: Any) -> None:
    """Notes what is wrong with that which paths are collected with, and with the numbers."""
    size, longest = trainer.params["batch_size"], trainer.params["ep_len"]
    policies = (policy, trainer.agent.actor)  # in real runs they are the same
    swapped = call.env in policies and call.policy is trainer.env
    turned = (call.count, call.length) == (longest, size)
    single = call.who == fake.TRAJECTORY and call.length == size
    none = np.isnan(number_in(call.length))
    note(
        found,
        arguments_swapped=swapped or turned,
        eval_env=call.env is trainer.eval_env,
        other_env=not swapped and call.env not in (trainer.env, trainer.eval_env),
        other_policy=not swapped and call.policy not in policies,
        one_trajectory=single,
        rendered=bool(call.render) and not single,
        wrong_count=call.who == fake.TRAJECTORIES and not turned and call.count != size,
        paths_for_steps=call.who == fake.N_TRAJECTORIES and not turned and call.count != 1,
        no_path_length=none,
        wrong_path_length=not (single or turned or none) and call.length != longest,
    )


def meant_by(error: Exception, calls: list[Any], found: Found) -> Found:
    """Returns the misconceptions behind an exception, with the calls before it."""
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


def note_result(found: Found, result: Any, collector: Collector, wanted: int) -> None:
    """Notes what is wrong with what is returned: all paths collected, and their steps.

    Where paths come one by one, also when that stops.
    """
    paths, steps = result[:2] if isinstance(result, tuple) and len(result) > 1 else (None, None)
    lengths, total = collector.lengths, sum(collector.lengths)
    if not are_paths(paths):
        swapped = are_paths(steps) and not np.isnan(number_in(paths))
        pair = not swapped and isinstance(paths, list | tuple) and len(paths) == 2
        note(found, results_swapped=swapped, pair_not_unpacked=pair, results=not (swapped or pair))
    elif [float(np.asarray(path["reward"])[0]) for path in paths] != [*range(len(lengths))]:
        found.add("paths_lost")
    else:
        note(found, wrong_steps=number_in(steps) != total)
        if collector.calls[0].who != fake.TRAJECTORIES and "one_trajectory" not in found:
            many = sum(lengths[:-1]) > wanted
            note(found, too_few_steps=total < wanted, too_many_steps=many)

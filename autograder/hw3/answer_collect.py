"""Answers about what the trainer collects: which environment, whose actions, how many steps."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from autograder.hw3.probe_trainer import NUMBER, PATHS
from autograder.hw3.trainer_world import (
    ACTOR,
    ENV,
    EVAL_ENV,
    N_TRAJECTORIES,
    POLICY,
    TRAJECTORIES,
    TRAJECTORY,
    settings,
)
from autograder.judge import Judgement, judge_crash, tell
from autograder.probing import Crash, Observation, Trial

BLANK = "hw3.trainer.collect"
ACTOR_NOTE = "the agent's actor collects; in real runs collect_policy is the same policy"
SETTING = re.compile("'dict' object has no attribute|'mappingproxy' object has no attribute")
MISSING = re.compile(
    "missing a required|missing .* required|unexpected keyword|too many positional"
)
UNPACK = re.compile("unpack")


@dataclass(frozen=True)
class Collection:
    """A call of a function that collects."""

    who: int
    env: float
    policy: float
    count: float
    length: float
    render: float


def judge_collect(seen: Observation, seed: int) -> Judgement:
    """Judges how paths are collected, in the first iteration and in a later one."""
    verdict = Judgement()
    for name in ("first", "later"):
        if name not in seen:
            verdict.unknown.append(f"could not be judged: {why(seen)}")
            return verdict
        one = _judge_collection(seen[name], settings(seed))
        verdict.blank |= one.blank
        verdict.name(*one.mistakes)
        verdict.unknown += [what for what in one.unknown if what not in verdict.unknown]
        verdict.notes += [note for note in one.notes if note not in verdict.notes]
    return verdict


def why(seen: Observation) -> str:
    """Says why a probe saw nothing."""
    crash = seen["probe"].crash if "probe" in seen else None
    return tell(crash) if crash else "nothing was seen"


def _judge_collection(trial: Trial, sizes: Mapping[str, int]) -> Judgement:
    """Judges one iteration."""
    verdict = Judgement()
    crash, seen = trial.crash, trial.arrays
    if crash and crash.blank == BLANK:
        verdict.blank = True
        return verdict
    calls = [Collection(int(row[0]), *row[1:]) for row in seen.get("calls", ())]
    _judge_calls(calls, sizes, verdict)
    if seen.get("asked"):
        verdict.name("collect.environment_touched")
    if seen.get("counted"):
        verdict.name("collect.counted_twice")
    if crash:
        _judge_collect_crash(crash, calls, verdict)
    elif not calls:
        verdict.name("collect.nothing_collected")
    elif not {"collect.collected_twice", "collect.paths_for_steps"} & set(verdict.mistakes):
        _judge_results(seen, calls, sizes, verdict)
    return verdict


def _judge_calls(calls: list[Collection], sizes: Mapping[str, int], verdict: Judgement) -> None:
    """Judges the arguments of each call, and how many there are."""
    for call in calls:
        swapped = (call.env, call.policy) == (POLICY, ENV)
        counted = call.who != TRAJECTORY
        exchanged = counted and call.count == sizes["ep_len"] and call.length == sizes["batch_size"]
        if swapped or exchanged:
            verdict.name("collect.arguments_swapped")
        if not swapped:
            _judge_parts(call, verdict)
        if call.who == TRAJECTORY and call.length == sizes["batch_size"]:
            verdict.name("collect.one_trajectory")
            continue
        if not exchanged:
            _judge_numbers(call, sizes, verdict)
        if call.render:
            verdict.name("collect.rendered")
    if sum(call.who == TRAJECTORIES for call in calls) > 1:
        verdict.name("collect.collected_twice")


def _judge_parts(call: Collection, verdict: Judgement) -> None:
    """Judges which environment is played, and by whom."""
    if call.env != ENV:
        verdict.name("collect.eval_env" if call.env == EVAL_ENV else "collect.other_env")
    if call.policy == ACTOR:
        verdict.notes.append(ACTOR_NOTE)
    elif call.policy != POLICY:
        verdict.name("collect.other_policy")


def _judge_numbers(call: Collection, sizes: Mapping[str, int], verdict: Judgement) -> None:
    """Judges how many steps are collected, and how long a path may be."""
    if call.who == TRAJECTORIES and call.count != sizes["batch_size"]:
        verdict.name("collect.wrong_count")
    if call.who == N_TRAJECTORIES and call.count != 1:
        verdict.name("collect.paths_for_steps")
    if np.isnan(call.length):
        verdict.name("collect.no_path_length")
    elif call.length != sizes["ep_len"]:
        verdict.name("collect.wrong_path_length")


def _judge_collect_crash(crash: Crash, calls: list[Collection], verdict: Judgement) -> None:
    """Translates an exception, unless the calls before it have told the mistake."""
    mistake = None
    if UNPACK.search(crash.text):
        who = {call.who for call in calls}
        mistake = "collect.paths_for_steps" if N_TRAJECTORIES in who else "collect.results"
        mistake = "collect.one_trajectory" if who == {TRAJECTORY} else mistake
    elif crash.kind == "RunawayError":
        mistake = "collect.too_many_steps"
    elif crash.kind == "TypeError" and MISSING.search(crash.text):
        if verdict.mistakes:
            return
        mistake = "collect.arguments"
    elif crash.kind == "KeyError" or SETTING.search(crash.text):
        mistake = "collect.no_such_setting"
    judge_crash(crash, mistake, verdict)


def _judge_results(
    seen: Mapping[str, np.ndarray],
    calls: list[Collection],
    sizes: Mapping[str, int],
    verdict: Judgement,
) -> None:
    """Judges the two things returned: all paths collected, and the number of their steps."""
    if "first" not in seen:
        verdict.name("collect.results")
        return
    kinds = (int(seen["first_is"]), int(seen["second_is"]))
    if kinds == (NUMBER, PATHS):
        verdict.name("collect.results_swapped")
    elif kinds[0] != PATHS:
        pair = kinds[0] != NUMBER and seen["first_items"] == 2
        verdict.name("collect.pair_not_unpacked" if pair else "collect.results")
    elif seen["first"].tolist() != list(range(len(seen["lengths"]))):
        verdict.name("collect.paths_lost")
    else:
        _judge_steps(seen, calls[0].who, sizes["batch_size"], verdict)


def _judge_steps(seen: Mapping[str, np.ndarray], who: int, wanted: int, verdict: Judgement) -> None:
    """Judges the number of steps returned; where paths come one by one, also when to stop."""
    lengths = seen["lengths"]
    if seen["second_is"] != NUMBER or float(seen["second"]) != lengths.sum():
        verdict.name("collect.wrong_steps")
    if who == TRAJECTORIES or "collect.one_trajectory" in verdict.mistakes:
        return
    if lengths.sum() < wanted:
        verdict.name("collect.too_few_steps")
    elif lengths[:-1].sum() > wanted:
        verdict.name("collect.too_many_steps")

"""Lets DQN's agent step through a script: what it stores of each step, and how episodes end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from autograder.homeworks.hw3.fakes import stepping_agent
from autograder.homeworks.hw3.fakes.stepping import INDEX_STEP, STEPS, UNSEEDED, Call
from autograder.homeworks.hw3.fakes.stepping_agent import STARTS, STEP, Play
from autograder.running.probing import Student


def cases(seed: int) -> Mapping[str, Play]:
    """Returns one play: each step of the script, after warm-up."""
    return {"steps": Play(seed, range(STARTS + 2, STARTS + 2 + STEPS))}


def observe(student: Student, case: Play) -> dict[str, Any]:
    """Returns what the calls did, relative to what the first blank did, whatever the action was."""
    calls = stepping_agent.play(student, case, STEP)
    effects = [(call, effect) for call in calls for effect in call.effects]
    sent = {id(call): action for call in calls for action, _ in call.steps}
    seeds = [seed for call in calls for _, seed in call.resets]
    return {
        "number of steps": [len(call.steps) for call in calls],
        "number of effects": [len(call.effects) for call in calls],
        "place of the effect (0 beside its frame, 1 the next)": sorted(
            {places_off(effect[0] - call.index) for call, effect in effects}
        ),
        "another action is stored than taken": [
            any(effect[1] != sent.get(id(call)) for call, effect in effects)
        ],
        "reward": [effect[2] for _, effect in effects],
        "done": [effect[3] for _, effect in effects],
        "reset": [bool(call.resets) for call in calls],
        "same seed at every reset": [len(seeds) > 1 and set(seeds) == {seeds[0]} != {UNSEEDED}],
        "last_obs (1 what came, 2 the first of an episode, 0 the old one)": [
            origin(call) for call in calls
        ],
        "frame stored by the step": [
            {after for _, _, after in call.stored} == {False, True} for call in calls
        ],
        "time passed": sorted({call.moved_in_all - call.moved for call in calls}),
    }


def places_off(difference: float) -> int:
    """Returns whether an index is the right one, a neighbour's, or far off."""
    return int(np.sign(difference)) * (1 if abs(difference) <= INDEX_STEP else 2)


def origin(call: Call) -> int:
    """Returns which frame is acted on next."""
    if call.after in [came for came, _ in call.resets[-1:]]:
        return 2
    if call.after in [came for _, came in call.steps]:
        return 1
    return 0 if call.after == call.before else -1

"""Probes of `sample_trajectory` in a scripted world, and of the given functions that call it."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import torch

from autograder.hw3.rollout_world import (
    ACTION_SIZE,
    CONTINUOUS,
    DISCRETE,
    FRAME_SIZE,
    RolloutWorld,
    ScriptedPolicy,
    episodes,
)
from autograder.probing import Student

FIELDS = ("observation", "next_observation", "action", "reward", "terminal")
CONTINUOUS_EPISODE = "terminated"  # one is enough for the shape of an action
GIVEN_LENGTHS = (5, 3, 7, 4, 6)  # of the paths that the given functions are fed with
MIN_STEPS, NUM_PATHS, MAX_LENGTH = 13, 2, 29
ROLES = {"env": "^env", "policy": "policy|actor|agent", "limit": "max|len"}


def rollouts_module(student: Student) -> ModuleType:
    """Imports the module of rollouts."""
    return student.module("infrastructure.rollouts")


def call(function: Callable[..., Any], **roles: Any) -> Any:
    """Calls `sample_trajectory` by its own parameters' names, or in the course's order."""
    names: dict[str, Any] = {}
    for name in inspect.signature(function).parameters:
        fits = [role for role in roles if re.search(ROLES[role], name)]
        if fits:
            names.setdefault(fits[0], name)
    if len(names) < len(roles):
        return function(*roles.values())
    return function(**{names[role]: value for role, value in roles.items()})


def play(student: Student, seed: int, answer: str, name: str, seen: dict[str, Any]) -> None:
    """Plays one path; keeps the tape, whatever happens, and the path's arrays.

    Args:
        student: The submission.
        seed: Of the world.
        answer: How `get_action` answers, see `ScriptedPolicy`.
        name: Of the episode, or `CONTINUOUS`.
        seen: What is kept.
    """
    kind = CONTINUOUS if name == CONTINUOUS else DISCRETE
    episode = episodes(seed)[CONTINUOUS_EPISODE if kind == CONTINUOUS else name]
    world = RolloutWorld(episode, seed, kind)
    policy = ScriptedPolicy(world, answer)
    function = rollouts_module(student).sample_trajectory
    try:
        path = call(function, env=world, policy=policy, limit=episode.limit)
    finally:
        seen["tape"] = np.array(world.tape).reshape(-1, 5)
    seen["is_path"] = isinstance(path, dict)
    if isinstance(path, dict):
        for field in FIELDS:
            if field in path:
                seen[field] = path[field]


def play_again(student: Student, seed: int, answer: str, seen: dict[str, Any]) -> None:
    """Plays some paths in one world, and notes the seeds of its resets."""
    episode = episodes(seed)["limit"]
    world = RolloutWorld(episode, seed, DISCRETE)
    policy = ScriptedPolicy(world, answer)
    function = rollouts_module(student).sample_trajectory
    for _ in range(NUM_PATHS):
        call(function, env=world, policy=policy, limit=episode.limit)
    seen["seeds"] = world.seeds


def ask_own_policy(student: Student, seen: dict[str, Any]) -> None:
    """Asks the student's own policy for one action of each kind, and notes how it answers."""
    module = student.module("policies.MLP_policy")
    for kind in (DISCRETE, CONTINUOUS):
        policy = module.MLPPolicyAC(
            ACTION_SIZE, FRAME_SIZE, 1, 5, discrete=kind == DISCRETE, learning_rate=0.1
        )
        try:
            answer = policy.get_action(np.zeros(FRAME_SIZE, np.float32))
        except TypeError:  # it may be written for a rollout that hands over tensors
            answer = policy.get_action(torch.zeros(FRAME_SIZE))
        seen[f"{kind}_dimensions"] = np.ndim(answer)
        seen[f"{kind}_tensor"] = isinstance(answer, torch.Tensor)


def _feed(student: Student) -> tuple[ModuleType, list[dict[str, Any]]]:
    """Replaces `sample_trajectory` by one whose paths are known; returns the paths it played."""
    module = rollouts_module(student)
    played: list[dict[str, Any]] = []

    def stand_in(*_: Any, **__: Any) -> dict[str, Any]:
        rows = GIVEN_LENGTHS[len(played) % len(GIVEN_LENGTHS)]
        played.append({name: np.full(rows, len(played), np.float32) for name in FIELDS})
        if len(played) > len(GIVEN_LENGTHS):
            raise RecursionError("more paths are played than were asked for")
        return played[-1]

    module.sample_trajectory = stand_in  # type: ignore[attr-defined]
    return module, played


def call_given(student: Student, seen: dict[str, Any]) -> None:
    """Calls the given functions that collect several paths."""
    real = rollouts_module(student).sample_trajectory
    try:
        module, played = _feed(student)
        paths, steps = module.sample_trajectories(None, None, MIN_STEPS, MAX_LENGTH)
        seen["numbers"] = [path["reward"][0] for path in paths]
        seen["steps"] = steps
        played.clear()
        paths = module.sample_n_trajectories(None, None, NUM_PATHS, MAX_LENGTH)
        seen["n_numbers"] = [path["reward"][0] for path in paths]
    finally:
        rollouts_module(student).sample_trajectory = real  # type: ignore[attr-defined]


def probe_rollouts(student: Student, seed: int) -> None:
    """Plays every kind of episode, with every answer that the student's own policy may give."""
    np.random.seed(seed)
    names = [*episodes(seed), CONTINUOUS]

    def play_all(answer: str) -> bool:
        trials = [
            student.try_out(
                f"{answer}_{name}", functools.partial(play, student, seed, answer, name)
            )
            for name in names
        ]
        return not any(trial.crash for trial in trials)

    own = student.try_out("own_policy", functools.partial(ask_own_policy, student))
    alone = own.arrays.get("discrete_dimensions")
    answers = ["batch", "single"] if alone is not None and alone == 0 else ["batch"]
    answers += ["tensor"] if own.arrays.get("discrete_tensor", False) else []
    suits = [answer for answer in answers if play_all(answer)]
    answer = (suits or ["batch"])[0]
    student.try_out("again", functools.partial(play_again, student, seed, answer))
    student.try_out("given", functools.partial(call_given, student))

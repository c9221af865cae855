"""Probe of stochastic policies: the actions they draw."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from autograder.hw3.policy_case import (
    COMPONENTS,
    DRAWS,
    PolicyCase,
    draw_case,
)
from autograder.hw3.policy_world import KINDS, build, stand_in, watch_forward
from autograder.probing import Student, Trial

NOTHING, WHAT_IS_ASKED, TENSOR, SOMETHING_ELSE = range(4)  # what a method returned
MOST = 1000  # numbers of one action that are kept


def flat_action(action: Any, seen: dict[str, Any]) -> np.ndarray:
    """Returns the numbers of an action, and notes what kind of thing it came as."""
    is_tensor = isinstance(action, torch.Tensor)
    plain = isinstance(action, np.ndarray | np.generic | int | float | list)
    code = TENSOR if is_tensor else WHAT_IS_ASKED if plain else SOMETHING_ELSE
    seen["returned"] = NOTHING if action is None else code
    if code == SOMETHING_ELSE:
        return np.empty(0)
    numbers = action.detach().cpu().numpy() if is_tensor else np.asarray(action)
    return numbers.reshape(-1)[:MOST].astype(np.float64)


def draw(policy: Any, case: PolicyCase, seen: dict[str, Any], tensors: bool = False) -> None:
    """Asks for many actions in each of two states, `draws`, and for one in each of the others."""
    draws, shown = [], []
    copied: Callable[[np.ndarray], Any] = torch.tensor if tensors else np.copy
    once = [flat_action(policy.get_action(copied(obs)), seen) for obs in case.observations()[2:]]
    seen["once"] = once
    for obs in case.observations()[:2]:
        actions = [flat_action(policy.get_action(copied(obs)), seen) for _ in range(DRAWS)]
        draws.append(actions)
        if "observation" in seen:
            shown.append(seen["observation"].detach().numpy().copy())
    seen["draws"] = draws
    seen["shown"] = shown
    seen.pop("asked", None)


def start(student: Student, seed: int, discrete: bool) -> Any:
    """Builds a policy, every generator that it may draw from newly seeded."""
    for generator in (random.seed, np.random.seed, torch.manual_seed):
        generator(seed)
    return build(student, draw_case(seed), discrete)


def draw_from_ours(
    student: Student, seed: int, discrete: bool, tensors: bool, seen: dict[str, Any]
) -> None:
    """Draws actions where `forward` is ours; `tensors`: what observations are handed over as."""
    policy, case = start(student, seed, discrete), draw_case(seed)
    watch_forward(policy, seen, stand_in(policy, case))
    draw(policy, case, seen, tensors)


def draw_from_own(student: Student, seed: int, discrete: bool, seen: dict[str, Any]) -> None:
    """Draws actions where `forward` is the student's own."""
    draw(start(student, seed, discrete), draw_case(seed), seen)


def play(student: Student, seed: int, discrete: bool, seen: dict[str, Any]) -> None:
    """Lets the student's own rollout take a step with the policy; notes what that is shown."""
    env = OneStep(draw_case(seed).observations()[0], seen)
    policy = start(student, seed, discrete)
    get_action = policy.get_action

    def asked(obs: Any) -> Any:
        seen["tensors"] = isinstance(obs, torch.Tensor)
        return get_action(obs)

    policy.get_action = asked
    rollouts = student.module("infrastructure.rollouts")
    rollouts.sample_trajectory(env, policy, 1)


def probe_get_action(student: Student, seed: int) -> None:
    """Draws actions from our distributions; where that does not fit, from the student's own.

    What does not go with arrays is tried with tensors, where the own rollout hands those over; and
    what comes as a tensor is seen on its way through the own rollout.
    """
    for kind, discrete in KINDS.items():
        how = (student, seed, discrete)
        ours = student.try_out(f"{kind}_ours", functools.partial(draw_from_ours, *how, False))
        if ours.crash or int(ours.arrays["returned"]) == TENSOR:
            played = student.try_out(f"{kind}_played", functools.partial(play, *how))
            if ours.crash and "tensors" in played.arrays and played.arrays["tensors"]:
                again = functools.partial(draw_from_ours, *how, True)
                ours = student.try_out(f"{kind}_ours", again)
        if ours.crash or _sizes(ours) != {1 if discrete else COMPONENTS}:
            student.try_out(f"{kind}_own", functools.partial(draw_from_own, *how))


def _sizes(trial: Trial) -> set[int]:
    """Returns how many numbers an action has."""
    return {trial.arrays[name].shape[-1] for name in ("draws", "once") if name in trial.arrays}


class OneStep:
    """An environment whose episodes last one step; it notes what an action arrives as."""

    metadata: dict[str, Any] = {}

    def __init__(self, obs: np.ndarray, seen: dict[str, Any]) -> None:
        """Shows `obs` and notes in `seen`."""
        self.obs, self.seen = obs, seen
        self.action_space = self.observation_space = SimpleNamespace()

    def reset(self, **_: Any) -> Any:
        """Begins an episode."""
        return self.obs, {}

    def step(self, action: Any) -> Any:
        """Ends it."""
        flat_action(action, self.seen)
        return self.obs, 0.0, True, False, {}

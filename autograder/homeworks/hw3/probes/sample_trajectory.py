"""Plays rollouts in a scripted world: what is shown, taken and stored, however it ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import torch

from autograder.base.record import Trial
from autograder.homeworks.hw3.fakes.rollouts import BOUND, FRAME, Episode, Fake, RunawayError
from autograder.running.probing import Student, call_by_names

NEVER = 10**6
GIVEN_LENGTHS = (5, 3, 7, 4, 6)  # of the paths that the given functions are fed with
MIN_STEPS, NUM_PATHS, MAX_LENGTH = 13, 2, 29
FIELDS = ("observation", "action", "reward", "next_observation", "terminal")


def cases(seed: int) -> Mapping[str, Episode | None]:
    """Draws an episode for each way in which a path can end; limits are far from other ends.

    Where there is none, the given functions collect several paths.
    """
    first, second, third, fourth = (
        int(n) for n in 3 + np.random.default_rng([285, 11, seed]).permutation(4)
    )
    episodes = {
        "terminated": Episode(first, True, False, first + 4),
        "truncated": Episode(second, False, True, second + 5),
        "both": Episode(third, True, True, third + 7),
        "limit": Episode(NEVER, False, False, fourth),
        "terminated_at_limit": Episode(fourth, True, False, fourth),
        "truncated_at_limit": Episode(second, False, True, second),
        "one_step": Episode(NEVER, False, False, 1),
        "terminated_at_once": Episode(1, True, False, 5),
        "continuous": Episode(first, True, False, first + 4, 2),
        "one_component": Episode(second, False, True, second + 5, 1),
        "frames": Episode(third, True, False, third + 6, like=FRAME),
    }
    return {**{name: one._replace(seed=seed) for name, one in episodes.items()}, "given": None}


def forms(student: Student) -> Iterator[str]:
    """Yields how a policy answers a single observation: as ours does, then as the student's does.

    "alone": with an action rather than a batch of one; "tensor": with tensors; both; or neither.
    """
    yield ""
    module: Any = student.module("policies.MLP_policy")
    for obs in (np.zeros(3, np.float32), torch.zeros(3)):  # some rollouts hand over tensors
        try:
            policy = module.MLPPolicyAC(2, 3, 1, 5, discrete=True, learning_rate=0.1)
            answer = policy.get_action(obs)
            alone = "alone" if np.ndim(answer) == 0 else ""
        except Exception:  # noqa: BLE001  (the student's policy may raise anything)
            continue
        form = ("tensor" if isinstance(answer, torch.Tensor) else "") + alone
        if form:
            yield form
        return


def fits(case: Episode | None, trial: Trial) -> bool:
    """Returns whether a policy that answers so is understood: single actions are taken."""
    if case is None:
        return True
    axes = 1 if case.components is None else 2
    return not trial.crash and trial.arrays["action_taken"].ndim == axes


def observe(student: Student, case: Episode | None, form: str) -> dict[str, Any]:
    """Returns what was shown and taken, whatever happens, and the path's arrays."""
    if case is None:
        return given(student)
    fake, again, path = Fake(case, form), Fake(case, form), None
    with student.up_to_a_crash():
        path = play(student, fake)
        play(student, again)
    # Whoever clips what the environment gets does what that would do.
    taken = [np.asarray(action) for action in fake.taken]
    if case.components:
        taken = [np.clip(action, -BOUND, BOUND) for action in taken]
    record = {
        "goes_on_for_ever": fake.endless,
        "resets_have_one_seed": fake.seed is not None and fake.seed == again.seed,
        "steps": len(taken),
        "steps_before_reset": [n for n in fake.resets if n < max(len(taken), 1)],
        "observations_shown_at_once": fake.together,
        "observation_shown": fake.shown,
        "action_taken": taken,
        "action_is_whole": [action.dtype.kind in "iu" for action in taken],
    }
    if student.crashed is None:
        record["is_path"] = isinstance(path, dict)
    if isinstance(path, dict):
        record |= {f"path[{name!r}]": path.get(name) for name in FIELDS}
    return record


def play(student: Student, fake: Fake) -> Any:
    """Plays a path; None if there is no end."""
    policy = SimpleNamespace(get_action=fake.get_action)
    lengths = "max_path_length max_length"
    values = {"env": fake, "policy": policy, lengths: fake.episode.limit}
    try:
        return call_by_names(student.module("infrastructure.rollouts").sample_trajectory, values)
    except RunawayError:
        fake.endless = True


def given(student: Student) -> dict[str, Any]:
    """Calls the given functions that collect several paths."""
    module: Any = student.module("infrastructure.rollouts")
    played: list[np.ndarray] = []

    def stand_in(*_: Any, **__: Any) -> dict[str, Any]:
        if len(played) > len(GIVEN_LENGTHS):
            raise RecursionError("more paths are played than were asked for")
        rows = GIVEN_LENGTHS[len(played) % len(GIVEN_LENGTHS)]
        played.append(np.full(rows, len(played), np.float32))
        return dict.fromkeys(FIELDS, played[-1])

    with patch.object(module, "sample_trajectory", stand_in):
        paths, steps = module.sample_trajectories(None, None, MIN_STEPS, MAX_LENGTH)
        played.clear()
        some = module.sample_n_trajectories(None, None, NUM_PATHS, MAX_LENGTH)
    return {
        "steps_of_sample_trajectories": steps,
        "paths_of_sample_trajectories": [path["reward"][0] for path in paths],
        "paths_of_sample_n_trajectories": [path["reward"][0] for path in some],
    }

"""Our own check of a task: what agents cannot learn from, and what keeps runs from being the same.

The task is as Gymnasium makes it: without the wrappers that agents need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box, Discrete, flatdim

from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.environments import images, spaces
from cs285.infrastructure.environments.checked_task import description
from cs285.infrastructure.environments.findings import Finding, RandomPlay, bytes_of, fault, note

Make = Callable[..., gym.Env[Any, Any]]

SAME_STEPS = 50  # that two episodes of one seed are compared over
FEW_EPISODES = 5


def about_lengths(played: RandomPlay, limit: int | None) -> Iterator[Finding]:
    """Yields what the lengths of episodes show.

    Args:
        played: Random play.
        limit: Steps of the longest episode that the task allows.
    """
    lengths = played.lengths if played.ended else played.lengths[:-1]
    if limit is None:
        longest = max(played.lengths, default=0)
        what = f"there is no time limit: {longest:,} steps is the longest episode of random play"
        yield note(
            f"{what}, and an agent may play one for ever",
            f"{len(lengths):,} episodes ended",
            "add max_episode_steps=... to gymnasium.register, or train with --max_episode_steps",
        )
    if len(lengths) >= FEW_EPISODES and max(lengths) == 1:
        yield note(
            "every episode ends at its first step, so no action has a consequence",
            f"all of {len(lengths):,} episodes",
            "look at what step returns as terminated and truncated",
        )


def about_spaces(env: gym.Env[Any, Any], env_name: str) -> Iterator[Finding]:
    """Yields what agents do with observations and actions of such spaces, or why they cannot.

    Args:
        env: As `gymnasium.make` returns it.
        env_name: Its name, as it was typed.
    """
    yield from _about_observations(env.observation_space)
    space, where = env.action_space, "action_space"
    try:
        plain = spaces.with_plain_actions(env, env_name)
        if isinstance(space, Box):
            spaces.require_bounded(plain, env_name)
    except UserError as error:
        fix = "the table below says who can play it"
        finding = note if isinstance(space, Box) else fault
        yield finding(str(error), where, fix)
    if isinstance(space, Discrete) and space.start != 0:
        what = f"actions are numbered from {space.start}"
        yield note(what, where, f"agents number them from 0, and {space.start} is added to each")
    if isinstance(space, Box) and space.dtype == np.float64:
        yield note("actions are float64", where, "give the space dtype=np.float32")


def _about_observations(space: gym.Space[Any]) -> Iterator[Finding]:
    """Yields what agents do with observations of a space."""
    where = "observation_space"
    if images.is_image(space):
        what = "observations are images: agents that learn from them get grey frames of 84 x 84"
        yield note(what, where, "the table below says who can play it")
    elif not spaces.has_vectors(space):
        what = f"observations in {space} are no vectors of one length"
        yield fault(what, where, "use Box, Discrete, MultiDiscrete, MultiBinary, Dict or Tuple")
    elif not isinstance(space, Box) or len(space.shape) != 1:
        size = flatdim(space)
        what = f"observations in {space} become one vector of {size} number{'s' * (size > 1)}"
        yield note(what, where, "discrete parts are one-hot; nothing is to be done")


def about_seeds(make: Make) -> Iterator[Finding]:
    """Yields whether the same seed and the same actions lead to another episode.

    Args:
        make: Makes the task afresh.
    """
    try:
        env = make()
        first, again, other = _episode(env), _episode(env), _episode(make())
    except (Exception, SystemExit):  # noqa: BLE001  (random play has found it already)
        return
    if (step := _first_difference(first, other)) is not None:
        yield fault(
            "the same seed and actions lead to another episode",
            f"step {step}, in two fresh environments",
            "call super().reset(seed=seed) in reset, and draw from self.np_random alone",
        )
    elif (step := _first_difference(first, again)) is not None:
        yield fault(
            "the same seed and actions lead to another episode if one was played before",
            f"step {step}",
            "set in reset all that step changes",
        )


def _episode(env: gym.Env[Any, Any]) -> list[Any]:
    """Plays the first steps of an episode with one seed; returns what each step returned."""
    env.action_space.seed(1)
    shown: list[Any] = [bytes_of(env.reset(seed=1)[0])]
    for _ in range(SAME_STEPS):
        obs, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        shown.append((bytes_of(obs), np.asarray(reward).tobytes(), terminated, truncated))
        if terminated or truncated:
            break
    return shown


def _first_difference(one: list[Any], other: list[Any]) -> int | None:
    """Returns the first step in which two episodes differ; None if there is none."""
    steps = max(len(one), len(other))
    return next((t for t in range(steps) if one[t : t + 1] != other[t : t + 1]), None)


def about_films(make: Make) -> Iterator[Finding]:
    """Yields why a task cannot be filmed.

    Args:
        make: Makes the task afresh, with `render` as `making.make` has it.
    """
    where = "--film, --video_log_freq"
    fix = "take render_mode=None, and let render return a picture (height, width, 3) of uint8"
    try:
        env = make()
        modes = env.metadata.get("render_modes") or []
        if "rgb_array" not in modes:
            what = "it cannot be filmed: metadata['render_modes'] does not contain 'rgb_array'"
            yield note(what, where, fix)
            return
        env = make(render="rgb_array")
        env.reset(seed=0)
        picture = np.asarray(env.render())
        env.close()
    except UserError as error:
        yield note(str(error), where, fix)
        return
    except (Exception, SystemExit) as error:  # noqa: BLE001  (whatever a task raises)
        yield note(f"it cannot be filmed: {description(error, 'it')}", where, fix)
        return
    if picture.dtype != np.uint8 or picture.ndim != 3 or picture.shape[2] != 3:
        what = f"render returns {picture.dtype} of shape {picture.shape}"
        yield note(f"it cannot be filmed: {what}", where, fix)

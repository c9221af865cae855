"""Environments by name, and what a time limit means in them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.wrappers import (
    FrameStackObservation,
    RecordEpisodeStatistics,
    RescaleAction,
    TimeLimit,
)

from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.environments import env_by_id, spaces
from cs285.infrastructure.environments import images as pictures
from cs285.infrastructure.environments.checked_task import CheckedTask
from cs285.infrastructure.environments.env_by_id import is_atari as is_atari
from cs285.infrastructure.environments.env_state import SeededResets
from cs285.infrastructure.environments.wrappers import RememberCut as RememberCut
from cs285.infrastructure.environments.wrappers import TimeLimitIsTerminal

GAME_STEPS = 27_000
"""Of the longest game of an Atari environment."""
STATISTICS = "cs285 episode"  # the key of our own statistics: a task may have "episode" already


def make_env(  # noqa: PLR0913  (all but the first are given by name)
    env_name: str,
    *,
    ep_len: int | None = None,
    discount: float = 1.0,
    time_limit: str = "auto",
    rescale: bool = False,
    images: int = 0,
    frames: int = 1,
    render: str | None = None,
    kwargs: Mapping[str, Any] | None = None,
) -> gym.Env[Any, Any]:
    """Makes an environment as the course uses it.

    Observations are vectors of float32, or grey frames. Actions are numbers from 0 on, or vectors
    of float32, of which the task gets the nearest action it has: see `spaces.NearestAction`.

    Args:
        env_name: Id of Gymnasium, or `module:id`.
        ep_len: Longest episode, in steps; the environment's own limit may be shorter.
        discount: gamma, on which the rule "auto" depends.
        time_limit: "terminal", "bootstrap" or "auto": see `with_time_limit`.
        rescale: Whether actions are given in (-1, 1), and scaled to the task's bounds.
        images: The newest frames that are stacked into an observation, where the task shows
            images: 84 x 84 grey bytes each; missing ones are zero. 0: such a task is refused.
        frames: The same where it shows vectors.
        render: "rgb_array" if `env.render()` must return pictures, "human" for a window.
        kwargs: What the environment itself is made with, of --env_kwargs.

    Raises:
        UserError: If there is no such environment, or a package that it needs is missing, or it
            shows images and must not, or it is an Atari game, which `atari.py` makes, or no
            agent can act in it.
    """
    if is_atari(env_name):
        raise images_refused(env_name)
    env = env_by_id.make(env_name, render, kwargs)
    space = env.observation_space
    shown = pictures.is_image(space)
    if shown and not images:
        raise images_refused(env_name)
    if not spaces.has_vectors(space):
        raise UserError(f"{env_name}: observations in {space} are no vectors of one length")
    env = spaces.with_plain_actions(CheckedTask(env), env_name)
    if shown:
        env, frames = pictures.as_frames(env), images
    if rescale:
        spaces.require_bounded(env, env_name)
        env = RescaleAction(env, np.float32(-1), np.float32(1))
    if ep_len is not None:
        env = TimeLimit(env, ep_len)
    env = RecordEpisodeStatistics(env, buffer_length=100, stats_key=STATISTICS)
    if frames > 1:
        env = FrameStackObservation(env, frames, padding_type="zero")
    return SeededResets(with_time_limit(env, discount, time_limit))


def shows_images(env_name: str, kwargs: Mapping[str, Any] | None = None) -> bool:
    """Returns whether a task that is made with `kwargs` shows images, Atari games included.

    Raises:
        UserError: If there is no such environment, or a package that it needs is missing.
    """
    if is_atari(env_name):
        return True
    env = env_by_id.make(env_name, None, kwargs)
    close(env)
    return pictures.is_image(env.observation_space)


def close(env: Any) -> None:
    """Closes an environment; if that fails, prints a note, since it must not hide anything else."""
    try:
        env.close()
    except Exception as error:  # noqa: BLE001  (whatever a task raises)
        sys.stderr.write(f"note: an environment could not be closed: {error!r}\n")


def images_refused(env_name: str) -> UserError:
    """Returns the error of agents that learn from vectors alone; it names those that can."""
    return UserError(
        f"{env_name} shows images: DQN learns from them with discrete actions "
        "(scripts/run_hw3_dqn.py), and PPO, of homework 5, with any"
    )


def most_steps(env_name: str, ep_len: int | None) -> int | None:
    """Returns how many steps an episode has at most; None where it may go on for ever.

    Args:
        env_name: Id of Gymnasium.
        ep_len: A limit besides that of the task itself.
    """
    # The emulator itself ends a game, after half an hour of 60 frames a second, by fours.
    own = GAME_STEPS if is_atari(env_name) else env_by_id.find_spec(env_name).max_episode_steps
    return min((limit for limit in (ep_len, own) if limit is not None), default=None)


def with_time_limit(env: gym.Env[Any, Any], discount: float, rule: str) -> gym.Env[Any, Any]:
    """Applies a rule of what a time limit means.

    Args:
        env: The environment.
        discount: gamma.
        rule: "terminal": no future counts after the limit; "bootstrap": the state that it cut keeps
            its value; "auto": terminal where the discount is 1.
    """
    terminal = rule == "terminal" or (rule == "auto" and discount == 1.0)
    return TimeLimitIsTerminal(env) if terminal else env

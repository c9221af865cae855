"""Environments by name, and what a time limit means in them."""

from __future__ import annotations

import difflib
import importlib
import sys
from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.spaces import Box, flatdim
from gymnasium.wrappers import (
    FrameStackObservation,
    RecordEpisodeStatistics,
    RescaleAction,
    TimeLimit,
)

from cs285.infrastructure.base import own_module
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.environments import images as pictures
from cs285.infrastructure.environments import making, spaces
from cs285.infrastructure.environments.checked_task import CheckedTask
from cs285.infrastructure.environments.env_state import SeededResets
from cs285.infrastructure.environments.wrappers import RememberCut as RememberCut
from cs285.infrastructure.environments.wrappers import TimeLimitIsTerminal

GAME_STEPS = 27_000
"""Of the longest game of an Atari environment."""
STATISTICS = "cs285 episode"  # the key of our own statistics: a task may have "episode" already

if "CourseLander-v0" not in gym.registry:  # the grader imports this file more than once
    gym.register(  # its module, and Box2D, are imported when one is made
        "CourseLander-v0",
        "cs285.infrastructure.environments.course_lander:CourseLander",
        max_episode_steps=1000,
    )


def is_atari(env_name: str) -> bool:
    """Returns whether this is a game of the Arcade Learning Environment; `atari.py` makes those."""
    return "ale_py" in str(find_spec(env_name).entry_point)


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
    env = gym_make(env_name, render, kwargs)
    space = env.observation_space
    shown = pictures.is_image(space)
    if shown and not images:
        raise images_refused(env_name)
    if not space.is_np_flattenable or flatdim(space) == 0:
        raise UserError(f"{env_name}: observations in {space} are no vectors of one length")
    # A discrete state becomes one-hot, a grid a vector.
    flatten = not shown and (not isinstance(space, Box) or len(space.shape) != 1)
    env = spaces.with_plain_actions(CheckedTask(env, flatten), env_name)
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
    env = gym_make(env_name, None, kwargs)
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
    own = GAME_STEPS if is_atari(env_name) else find_spec(env_name).max_episode_steps
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


def find_spec(env_name: str) -> EnvSpec:
    """Looks an id up; one whose environment is gone stands for the newest of its name.

    Of `module:id` the module is imported first, which registers the id.

    Raises:
        UserError: If there is no such module or id, or a package that is needed is missing.
        TaskError: If the module cannot be imported.
    """
    own_module.load(env_name)
    module, _, env_id = env_name.rpartition(":")
    try:
        ale_py = importlib.import_module("ale_py")
        ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)  # no banner before our output
        gym.register_envs(ale_py)
    except ModuleNotFoundError as error:
        raise UserError(f"{error}; run: pip install 'gymnasium[atari]'") from error
    spec = gym.registry.get(env_id)
    # A function of Gymnasium's own stands for an environment that is gone.
    if spec is None or getattr(spec.entry_point, "__module__", "") == "gymnasium.envs":
        name = env_id.rpartition("-v")[0]
        same = [s for s in gym.registry.values() if s.name == name and s.version is not None]
        spec = max(same, key=lambda s: int(s.version or 0)) if same and not module else None
    if spec is None:
        raise UserError(f"--env_name {env_name}: {_not_registered(module, env_id)}")
    return spec


def _not_registered(module: str, env_id: str) -> str:
    """Returns the message about an id that nobody has registered."""
    near = difflib.get_close_matches(env_id, gym.registry, n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else "see https://gymnasium.farama.org"
    if not module:
        return f"no such environment; {hint}"
    file = own_module.file_of(f"{module}:{env_id}")
    hint = hint if near else f'gymnasium.register("{env_id}", ...) belongs there'
    return f"{file or module} registers no {env_id}; {hint}"


def gym_make(
    env_name: str, render: str | None, kwargs: Mapping[str, Any] | None = None, **fixed: Any
) -> gym.Env[Any, Any]:
    """Calls `gymnasium.make`, and reports its errors in one line, as `making.make` does.

    Args:
        env_name: Id of Gymnasium, or `module:id`.
        render: "rgb_array" if `env.render()` must return pictures, "human" for a window.
        kwargs: What the environment itself is made with, of --env_kwargs.
        fixed: What it is made with in any case.
    """
    return making.make(find_spec(env_name), env_name, render, kwargs or {}, fixed)

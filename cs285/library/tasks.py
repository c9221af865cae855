"""What an agent must know of an environment."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import Any

import gymnasium as gym

from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.logging.logger import aligned
from cs285.library.arguments import json_object
from cs285.library.process_state import keywords_in_errors


def env_info(
    env: str | gym.Env[Any, Any], env_kwargs: Mapping[str, Any] | None = None, verbose: bool = True
) -> dict[str, Any]:
    """Returns and prints what an agent must know of an environment.

    Args:
        env: Id of a Gymnasium environment, or the environment itself.
        env_kwargs: What it is made with, if `env` is an id.
        verbose: Whether to print it.

    Returns:
        "id"; "state_dim", the components of an observation, or its shape if it is no vector;
        "action_dim", the components of an action, or the number of discrete actions; "if_discrete";
        "action_low" and "action_high", lists of bounds, None if actions are discrete; "max_step",
        the longest episode in steps, None without a limit.

    Raises:
        cs285.Error: If there is no such environment, or no agent here could act in it.
    """
    from cs285.infrastructure.environments import env_by_id, envs
    from cs285.infrastructure.environments.registering import id_wanted

    with keywords_in_errors():
        if not isinstance(env, str | gym.Env):
            raise id_wanted(env)
        kwargs = json_object("env_kwargs", env_kwargs or {})
        if kwargs and isinstance(env, gym.Env):
            raise UserError("env_kwargs belong to an id: this environment is made already")
        made = env_by_id.make(env, None, kwargs) if isinstance(env, str) else env
        info = described(made)
    if made is not env:
        envs.close(made)
    if verbose:
        sys.stdout.write("\n".join(aligned([*info.items()], left=2)) + "\n")
    return info


def described(env: gym.Env[Any, Any]) -> dict[str, Any]:
    """Returns what `env_info` does, of an environment."""
    spec, space = env.spec, env.action_space
    if not isinstance(space, gym.spaces.Box | gym.spaces.Discrete):
        raise UserError(f"actions in {space}: every agent here chooses a number or a vector")
    actions: Any = space
    discrete = isinstance(space, gym.spaces.Discrete)
    return {
        "id": spec.id if spec else type(env.unwrapped).__name__,
        "state_dim": state_dim(env.observation_space),
        "action_dim": int(actions.n) if discrete else math.prod(actions.shape),
        "if_discrete": discrete,
        "action_low": None if discrete else actions.low.ravel().tolist(),
        "action_high": None if discrete else actions.high.ravel().tolist(),
        "max_step": spec.max_episode_steps if spec else None,
    }


def state_dim(space: gym.Space[Any]) -> int | tuple[int, ...]:
    """Returns the number of an observation's components; its shape if it is no vector."""
    shape = space.shape
    if isinstance(space, gym.spaces.Box) and shape is not None and len(shape) != 1:
        return shape
    return gym.spaces.flatdim(space)

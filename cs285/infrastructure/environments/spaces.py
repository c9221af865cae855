"""Which observations and actions the agents can have, and how a task's own become such ones."""

from __future__ import annotations

import math
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete, Tuple, flatdim
from gymnasium.wrappers import TransformAction

from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.environments.checked_task import fault


class NearestAction(gym.ActionWrapper[Any, np.ndarray, Any]):
    """Takes any vector of numbers as an action: the task gets the nearest one of its own.

    This is the one rule for continuous actions in all homeworks. A component beyond its bound
    becomes the bound, and where a task has whole numbers each component is rounded. Agents store
    and learn from the action that they chose, since only its probability is known.
    """

    kept: tuple[str, ...] = ()

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        """Wraps a task with actions in a box of any shape and type."""
        super().__init__(env)
        task: Any = env.action_space
        self.task_shape, self.task_dtype = task.shape, task.dtype
        self.low, self.high = task.low.ravel(), task.high.ravel()
        self.whole = task.dtype.kind in "iu"
        self.is_plain = task.dtype == np.float32 and len(task.shape) == 1
        if not self.is_plain:
            # An integer box without a bound has the type's least or greatest number there.
            low = np.where(task.bounded_below, task.low, -np.inf).ravel().astype(np.float32)
            high = np.where(task.bounded_above, task.high, np.inf).ravel().astype(np.float32)
            self.action_space = Box(low, high, dtype=np.float32)

    def action(self, action: Any) -> np.ndarray:
        """Returns the task's nearest action.

        Raises:
            ValueError: If the action is no vector with one component for each of the task's.
            TaskError: If a component is nan: the nearest action would be nan too.
        """
        action = np.asarray(action)
        if action.shape != self.low.shape:  # NumPy would repeat a single number
            raise ValueError(f"action has shape {action.shape}, wanted {self.low.shape}")
        if b"\1" in np.isnan(action).tobytes():  # in less time than `.any()`
            raise fault(self, f"the agent's action is {action}")
        # In less time than np.clip, with the same numbers.
        nearest: np.ndarray = np.minimum(np.maximum(action, self.low), self.high)
        if self.is_plain and nearest.dtype == np.float32:
            return nearest
        if self.whole:
            nearest = np.rint(nearest)
        return nearest.astype(self.task_dtype).reshape(self.task_shape)


def has_vectors(space: gym.Space[Any]) -> bool:
    """Returns whether observations in a space are, or become, vectors of one length, or images."""
    return space.is_np_flattenable and flatdim(space) > 0


def with_plain_actions(env: gym.Env[Any, Any], env_name: str) -> gym.Env[Any, Any]:
    """Returns an environment whose actions are numbers from 0 on, or vectors of float32.

    Raises:
        UserError: If its actions are of a kind that no agent here chooses.
    """
    space = env.action_space
    if isinstance(space, Box):
        return NearestAction(env)
    if isinstance(space, Discrete):
        start = int(space.start)
        if start == 0:
            return env
        return TransformAction(env, lambda action: action + start, Discrete(int(space.n)))
    raise UserError(
        f"{env_name} has actions in {space}, and every agent here chooses one of several numbers "
        f"or a vector: {_way_out(space)}"
    )


def _way_out(space: gym.Space[Any]) -> str:
    """Returns how a task's author can give it an action space that agents have."""
    if isinstance(space, MultiDiscrete | MultiBinary):
        sizes = space.nvec if isinstance(space, MultiDiscrete) else np.full(space.shape, 2)
        return (
            f"number its {math.prod(sizes.ravel().tolist())} combinations, with "
            "gymnasium.wrappers.TransformAction and numpy.unravel_index"
        )
    if _only_boxes(space):
        return (
            "join its parts to one Box, with gymnasium.wrappers.TransformAction and "
            "gymnasium.spaces.unflatten"
        )
    return "give it Discrete or Box actions, in a wrapper of your own"


def _only_boxes(space: gym.Space[Any]) -> bool:
    """Returns whether a space consists of boxes alone."""
    if isinstance(space, Dict):
        return all(_only_boxes(part) for part in space.values())
    if isinstance(space, Tuple):
        return all(_only_boxes(part) for part in space)
    return isinstance(space, Box)


def require_discrete(env: gym.Env[Any, Any], env_name: str) -> None:
    """Raises UserError if actions are not discrete."""
    if not isinstance(env.action_space, Discrete):
        images = len(env.observation_space.shape or ()) > 1
        other = "PPO, of homework 5" if images else "scripts/run_hw3_actor_critic.py"
        raise UserError(
            f"{env_name} has continuous actions, and this agent chooses between discrete ones: "
            f"use {other}"
        )


def require_bounded(env: gym.Env[Any, Any], env_name: str) -> None:
    """Raises UserError if actions are not continuous, or have no bounds."""
    space = env.action_space
    if not isinstance(space, Box):
        raise UserError(
            f"{env_name} has discrete actions, and this agent chooses continuous ones: "
            "use scripts/run_hw3_dqn.py"
        )
    if not space.is_bounded():
        raise UserError(
            f"{env_name} has actions without bounds, and this agent's lie between two: "
            "use scripts/run_hw3_actor_critic.py"
        )
    with np.errstate(over="ignore"):
        width = space.high - space.low
    fits = np.isfinite(width) & (width > 0)
    if not fits.all():
        first = int(np.argmin(fits))
        raise UserError(
            f"{env_name}: component {first} of the actions lies between {space.low[first]:g} and "
            f"{space.high[first]:g}, to which (-1, 1) cannot be scaled in float32: "
            "give the task other bounds, in a wrapper"
        )

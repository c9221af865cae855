"""The innermost wrapper: what a task returns is copied, put in one form and checked."""

from __future__ import annotations

import math
import traceback
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box, flatten, flatten_space

from cs285.infrastructure.base.errors import TaskError, UserError
from cs285.infrastructure.environments.images import is_image

KNOWN = (UserError, gym.error.ResetNeeded)  # a message already; a step before the first reset
OLD_API = "; Gym's interface before 0.26 is not supported: change the task, or wrap it with shimmy"


class CheckedTask(gym.Wrapper[Any, Any, Any, Any]):
    """Hands on what a task returns in one form, and reports in one line what is wrong with it.

    - Each observation is an array of its own. A task may return the same array at every step and
      change it in place, and agents keep observations.
    - Vectors are float32. Other observations, if they are no images, become vectors first.
    - A reward is a float.

    Raises `TaskError` where an observation or a reward is not finite, and where the task itself
    raises. What the agent causes stays as it is, for instance an action of the wrong shape.
    """

    kept: tuple[str, ...] = ()

    def __init__(self, env: gym.Env[Any, Any], copy: bool = True) -> None:
        """Wraps a task.

        Args:
            env: The task, as `gym.make` returns it.
            copy: Whether observations are copied and checked; else they are handed on as they are.
        """
        super().__init__(env)
        self.copy, self.space = copy, env.observation_space
        is_vector = isinstance(self.space, Box) and len(self.space.shape) == 1
        # By Gymnasium's rules: a discrete one becomes one-hot, parts follow one another.
        self.flatten = copy and not is_vector and not is_image(self.space)
        shown = flatten_space(self.space) if self.flatten else self.space
        if copy and len(shown.shape or ()) == 1 and shown.dtype != np.float32:
            shown = as_float32(shown)
        if shown is not self.space:
            self.observation_space = shown
        self.shape, self.dtype = shown.shape, shown.dtype
        self.has_floats = self.dtype is not None and self.dtype.kind == "f"

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Begins an episode."""
        try:
            result = self.env.reset(seed=seed, options=options)
            if type(result) is not tuple or len(result) != 2:
                raise fault(self, "reset returns no pair (observation, info)" + OLD_API)
            return self.checked_observation(result[0], None), result[1]
        except KNOWN:
            raise
        except (Exception, SystemExit) as error:
            raise fault(self, description(error, "reset")) from error

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Takes one step."""
        try:
            obs, reward, terminated, truncated, info = self.env.step(action)
            if type(reward) is not float:
                reward = self.as_number(reward)
            if not math.isfinite(reward):
                raise self.not_finite("reward", reward, action)
            self.check_rest(terminated, truncated, info)
            return self.checked_observation(obs, action), reward, terminated, truncated, info
        except KNOWN:
            raise
        except (Exception, SystemExit) as error:
            if not has_no_number(action) and not self.env.action_space.contains(action):
                raise  # the agent's own mistake
            raise fault(self, description(error, "step")) from error

    def render(self) -> Any:
        """Returns a picture, or shows it in a window.

        Raises:
            TaskError: If the task raises, or should return a picture and does not.
        """
        try:
            picture = self.env.render()
        except KNOWN:
            raise
        except (Exception, SystemExit) as error:
            raise fault(self, description(error, "render")) from error
        if self.render_mode == "rgb_array" and np.ndim(picture) != 3:  # type: ignore[arg-type]
            raise fault(self, f"render returns {type(picture).__name__}, and no picture")
        return picture

    def checked_observation(self, obs: Any, action: Any) -> Any:
        """Returns an observation as an array of its own, in the form of `observation_space`."""
        if not self.copy:
            return obs
        if self.flatten:
            obs = flatten(self.space, obs)
        elif type(obs) is not np.ndarray:
            obs = np.asarray(obs)
        if obs.shape != self.shape:
            raise fault(self, f"observation has shape {obs.shape}, its space {self.shape}")
        if obs.dtype == self.dtype:
            own = obs.copy()
        else:
            with np.errstate(over="ignore"):  # too large for a float32: reported below
                own = obs.astype(self.dtype)
        # In half the time of `.all()`: a false one is a byte of 0.
        if self.has_floats and b"\0" in np.isfinite(own).tobytes():
            first = int(np.argmin(np.isfinite(own)))
            name = f"component {first} of the observation"
            raise self.not_finite(name, float(obs.ravel()[first]), action)
        return own

    def check_rest(self, terminated: Any, truncated: Any, info: Any) -> None:
        """Raises TaskError if these are of a kind that means something else than it seems."""
        if not isinstance(info, dict):
            raise fault(self, f"step returns {info!r} in place of a dict of information")
        for ended in (terminated, truncated):
            if isinstance(ended, str):  # "False" would be true
                raise fault(self, f"terminated or truncated is the text {ended!r}")

    def as_number(self, reward: Any) -> float:
        """Returns a reward as a float: an array of one number counts as that number."""
        if isinstance(reward, np.ndarray):
            if reward.size != 1:
                raise fault(self, f"reward has shape {reward.shape}, and must be one number")
            reward = reward.item()
        return float(reward)

    def not_finite(self, quantity: str, value: float, action: Any) -> TaskError:
        """Returns the error about a number, or about the action that led to it."""
        if has_no_number(action):
            return fault(self, f"the agent's action is {np.asarray(action)}")
        too_large = ", more than a float32 can be" if math.isfinite(value) else ""
        return fault(self, f"{quantity} is {value:g}{too_large}")


def fault(env: gym.Env[Any, Any], what: str) -> TaskError:
    """Returns an error that names the task in an environment."""
    task = env.unwrapped
    return TaskError(f"{task.spec.id if task.spec else type(task).__name__}: {what}")


def description(error: BaseException, method: str) -> str:
    """Describes an exception in one line, with the place that raised it."""
    text = f"{type(error).__name__}: {error}"
    if "unpack (expected 5, got 4)" in text:
        return "step returns 4 values instead of 5" + OLD_API
    if method == "reset" and "unexpected keyword argument" in text:
        return "reset takes no seed and options" + OLD_API
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(frame.filename).name}, line {frame.lineno}"
    return f"{method} raised {' '.join(text.split())} ({place})"


def has_no_number(action: Any) -> bool:
    """Returns whether an action contains nan or an infinite number."""
    array = np.asarray(action)
    return array.dtype.kind == "f" and not bool(np.isfinite(array).all())


def as_float32(space: Any) -> Box:
    """Returns the same box, of float32."""
    with np.errstate(over="ignore"):
        low, high = space.low.astype(np.float32), space.high.astype(np.float32)
    return Box(low, high, dtype=np.float32)

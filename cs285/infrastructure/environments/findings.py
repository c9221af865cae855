"""What is found in a task: what it returns in random play, and what Gymnasium's own check reports.

Each finding is one line, with the place and the way to fix it.
"""

from __future__ import annotations

import dataclasses
import re
import time
import warnings
from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box
from gymnasium.utils.env_checker import check_env

from cs285.infrastructure.environments.checked_task import OLD_API, description

WHERE = "Gymnasium's check_env"
FIX = "see https://gymnasium.farama.org/introduction/create_custom_env"


@dataclasses.dataclass(frozen=True)
class Finding:
    """A fault of a task, or a fact that its author should know."""

    is_fault: bool
    """Whether runs end there, or their numbers mean nothing; else agents cope with it."""
    what: str
    where: str
    fix: str

    def __str__(self) -> str:
        """Returns it as one line."""
        return f"{'FAULT' if self.is_fault else 'note'}: {self.what} ({self.where}); {self.fix}"


def fault(what: str, where: str, fix: str) -> Finding:
    """Returns a finding where runs end, or after which their numbers mean nothing."""
    return Finding(True, what, where, fix)


def note(what: str, where: str, fix: str) -> Finding:
    """Returns a finding with which agents cope."""
    return Finding(False, what, where, fix)


def arrays_in(obs: Any, name: str = "the observation") -> Iterator[tuple[str, np.ndarray]]:
    """Yields the arrays of an observation with their names: several, in a dict or a tuple."""
    if isinstance(obs, dict):
        for key, part in obs.items():
            yield from arrays_in(part, f"{name}[{key!r}]")
    elif isinstance(obs, tuple):
        for number, part in enumerate(obs):
            yield from arrays_in(part, f"{name}[{number}]")
    else:
        yield name, np.asarray(obs)


def bytes_of(obs: Any) -> list[bytes]:
    """Returns the numbers of an observation as they are in memory."""
    return [array.tobytes() for _, array in arrays_in(obs)]


class StepCheck:
    """Plays a task, and keeps the first finding of each kind.

    Attributes:
        found: The findings by kind.
        raised: Whether the task has raised, so that it cannot be played on.
        steps: Steps so far, in all episodes.
        episode: Number of the episode, from 1 on.
        t: Steps of this episode.
        seconds: How long the task itself took.
    """

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        """Prepares; `env` is as `gymnasium.make` returns it."""
        self.env = env
        self.found: dict[str, Finding] = {}
        self.raised = False
        self.steps = self.episode = self.t = 0
        self.seconds = 0.0
        self.newest: Any = None  # the observation as it was returned, and as it was then
        self.newest_bytes: list[bytes] = []

    def reset(self, seed: int | None) -> None:
        """Begins an episode."""
        self.episode, self.t = self.episode + 1, 0
        result = self._timed("reset", lambda: self.env.reset(seed=seed))
        if self.raised:
            return
        if type(result) is not tuple or len(result) != 2:
            self.raised = True
            what = "reset returns no pair (observation, info)" + OLD_API
            self._add("reset", fault, what, "return observation, {}")
            return
        self._look_at(result[0])

    def step(self, action: Any) -> bool:
        """Takes a step; returns whether the episode has ended."""
        self.steps, self.t = self.steps + 1, self.t + 1
        result = self._timed("step", lambda: self._five(self.env.step(action)))
        if self.raised:
            return False
        obs, reward, terminated, truncated, info = result
        self._look_at(obs)
        self._reward(reward)
        if not isinstance(info, dict):
            self._add("info", fault, f"step returns {info!r} as info", "return a dict, such as {}")
        if isinstance(terminated, str) or isinstance(truncated, str):
            self._add("end", fault, "an end is a text, and any text is true", "return a bool")
        return bool(terminated or truncated)

    @staticmethod
    def _five(result: Any) -> tuple[Any, Any, Any, Any, Any]:
        obs, reward, terminated, truncated, info = result
        return obs, reward, terminated, truncated, info

    def _timed(self, method: str, call: Any) -> Any:
        """Calls the task, and counts the time; an exception becomes a finding."""
        began = time.perf_counter()
        try:
            return call()
        except (Exception, SystemExit) as error:  # noqa: BLE001  (whatever a task raises)
            self.raised = True
            self._add("raise", fault, description(error, method), "a run ends there: fix the task")
        finally:
            self.seconds += time.perf_counter() - began

    def _add(self, kind: str, finding: Any, what: str, fix: str) -> None:
        """Keeps a finding, unless there is one of its kind."""
        if kind not in self.found:
            where = f"step {self.t} of episode {self.episode} of random play"
            self.found[kind] = finding(what, where, fix)

    def _look_at(self, obs: Any) -> None:
        """Looks at an observation, of whatever type it is."""
        try:
            self._observation(obs)
        except (TypeError, ValueError) as error:  # such as lists of different lengths
            text = " ".join(str(error).split())
            what = f"the observation is no array of numbers: {text}"
            self._add("type", fault, what, "return what observation_space contains")

    def _observation(self, obs: Any) -> None:
        """Looks at an observation, and whether the one before has become another."""
        if self.newest is not None and bytes_of(self.newest) != self.newest_bytes:
            what = "an observation changes after it was returned: it is one array, changed in place"
            fix = "return a copy; agents here make one, other libraries may not"
            self._add("in place", note, what, fix)
        self.newest, self.newest_bytes = obs, bytes_of(obs)
        for name, array in arrays_in(obs):
            if array.dtype.kind == "f":
                self._floats(name, array)
        self._in_space(obs)

    def _floats(self, name: str, array: np.ndarray) -> None:
        """Looks at the numbers and the type of an array of floats."""
        finite = np.isfinite(array)
        if not finite.all():
            first = int(np.argmin(finite))
            what = f"component {first} of {name} is {array.ravel()[first]:g}"
            self._add("not finite", fault, what, "a run ends there: return finite numbers")
        if array.dtype == np.float64:
            what = f"{name} is float64, and agents compute in float32"
            self._add("float64", note, what, "give the space and the array dtype=np.float32")

    def _in_space(self, obs: Any) -> None:
        """Compares an observation with the space that should contain it."""
        space = self.env.observation_space
        if isinstance(space, Box) and np.shape(obs) != space.shape:
            what = f"the observation has shape {np.shape(obs)}, its space {space.shape}"
            self._add("shape", fault, what, "make both the same")
        elif "not finite" not in self.found and not space.contains(obs):
            what = "an observation lies outside of observation_space"
            self._add("outside", note, what, "widen the space, or give both the same dtype")

    def _reward(self, reward: Any) -> None:
        """Looks at a reward."""
        shape = np.shape(reward)
        if np.size(reward) != 1:
            what = f"the reward has shape {shape}, and must be one number"
            self._add("reward's shape", fault, what, "a run ends there: return a float")
            return
        if isinstance(reward, np.ndarray) and shape:
            what = f"the reward is an array of shape {shape}"
            self._add("reward's shape", note, what, "return float(reward)")
        try:
            number = float(reward.item() if isinstance(reward, np.ndarray) else reward)
        except (TypeError, ValueError):
            what = f"the reward is {reward!r}, and no number"
            self._add("reward's type", fault, what, "a run ends there: return a float")
            return
        if not np.isfinite(number):
            what = f"the reward is {number:g}"
            self._add("reward", fault, what, "a run ends there: return finite numbers")


def gymnasiums(env: gym.Env[Any, Any]) -> list[Finding]:
    """Lets Gymnasium check an environment, without its wrappers and without pictures.

    It raises at the first fault, so there is at most one; what it warns of becomes notes.

    Args:
        env: As `gymnasium.make` returns it.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = _faults(env)
    told = [_plain(str(one.message)) for one in caught if one.category is UserWarning]
    return [*found, *(note(text, WHERE, FIX) for text in dict.fromkeys(told))]


def _faults(env: gym.Env[Any, Any]) -> list[Finding]:
    """Returns the fault that Gymnasium finds, if there is one."""
    try:
        check_env(env.unwrapped, skip_render_check=True)
    except (AssertionError, gym.error.Error) as error:
        return [fault(_plain(str(error)) or type(error).__name__, WHERE, FIX)]
    except (Exception, SystemExit) as error:  # noqa: BLE001  (whatever a task raises)
        return [fault(description(error, "it"), WHERE, FIX)]
    return []


def _plain(text: str) -> str:
    """Returns a message of Gymnasium's in one line, without colour and without a full stop."""
    text = re.sub(r"\x1b\[[\d;]*m", "", text)
    return " ".join(text.split()).removeprefix("WARN: ").removesuffix(".")

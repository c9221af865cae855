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
from gymnasium.utils.env_checker import check_env

from cs285.infrastructure.environments.checked_task import KNOWN, CheckedTask, description
from cs285.infrastructure.environments.checked_task import fault as task_fault
from cs285.infrastructure.environments.spaces import has_vectors

WHERE = "Gymnasium's check_env"
SECONDS = 5.0  # of random play, at most
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


class AsReturned(gym.Wrapper[Any, Any, Any, Any]):
    """Keeps what a task returned last, as it was: `CheckedTask` puts it in another form."""

    returned: Any = None

    def reset(self, **kwargs: Any) -> Any:
        """Begins an episode."""
        self.returned = self.env.reset(**kwargs)
        return self.returned

    def step(self, action: Any) -> Any:
        """Takes a step."""
        self.returned = self.env.step(action)
        return self.returned


class RandomPlay:
    """Plays a task with random actions, as agents do, and keeps the first finding of each kind.

    Attributes:
        found: The findings by kind. A fault ends the play.
        lengths: Steps of each episode so far.
        ended: Whether the last one has ended.
        steps: Those of all episodes.
        seconds: How long the task took for them, resets included.
    """

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        """Prepares; `env` is as `gymnasium.make` returns it."""
        self.task = AsReturned(env)
        self.env = CheckedTask(self.task, copy=has_vectors(env.observation_space))
        self.found: dict[str, Finding] = {}
        self.lengths: list[int] = []
        self.ended, self.steps, self.seconds = True, 0, 0.0
        self.newest: Any = None  # the observation as it was returned, and as it was then
        self.newest_bytes: list[bytes] = []

    def play(self, steps: int) -> None:
        """Plays so many steps, unless `SECONDS` are over, or the task has a fault."""
        until = time.perf_counter() + SECONDS
        self.env.action_space.seed(0)
        while "fault" not in self.found and self.steps < steps and time.perf_counter() < until:
            if self.ended:
                self._reset()
            else:
                self._step()

    def _reset(self) -> None:
        """Begins an episode."""
        self.lengths.append(0)
        seed = 0 if len(self.lengths) == 1 else None
        if self._timed(lambda: self.env.reset(seed=seed)) is not None:
            self.ended = False
            self._look_at(self.task.returned[0])

    def _step(self) -> None:
        """Takes a step, and looks at what it returned."""
        self.steps, self.lengths[-1] = self.steps + 1, self.lengths[-1] + 1
        action = self.env.action_space.sample()
        if (result := self._timed(lambda: self.env.step(action))) is None:
            return
        self.ended = bool(result[2] or result[3])
        obs, reward = self.task.returned[:2]
        self._look_at(obs)
        if isinstance(reward, np.ndarray) and reward.shape:
            what = f"the reward is an array of shape {reward.shape}"
            self._note("reward's shape", what, "return float(reward)")

    def _timed(self, call: Any) -> Any:
        """Calls the task, and counts the time; its fault becomes a finding, and None returns."""
        began = time.perf_counter()
        try:
            return call()
        except KNOWN as error:
            what = str(error).removeprefix(str(task_fault(self.env, "")))
            self.found["fault"] = fault(what, self._where(), "a run ends there: fix the task")
        finally:
            self.seconds += time.perf_counter() - began

    def _where(self) -> str:
        return f"step {self.lengths[-1]} of episode {len(self.lengths)} of random play"

    def _note(self, kind: str, what: str, fix: str) -> None:
        """Keeps a note, unless there is one of its kind."""
        self.found.setdefault(kind, note(what, self._where(), fix))

    def _look_at(self, obs: Any) -> None:
        """Looks at an observation, and whether the one before has become another."""
        if not self.env.copy:  # its space alone is a fault
            return
        if self.newest is not None and bytes_of(self.newest) != self.newest_bytes:
            what = "an observation changes after it was returned: it is one array, changed in place"
            fix = "return a copy; agents here make one, other libraries may not"
            self._note("in place", what, fix)
        self.newest, self.newest_bytes = obs, bytes_of(obs)
        for name, array in arrays_in(obs):
            if array.dtype == np.float64:
                what = f"{name} is float64, and agents compute in float32"
                self._note("float64", what, "give the space and the array dtype=np.float32")
        if not self.task.observation_space.contains(obs):
            what = "an observation lies outside of observation_space"
            self._note("outside", what, "widen the space, or give both the same dtype")


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

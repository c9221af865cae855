"""A scripted world that rollouts are played in, and its policy; it writes down what happens."""

from __future__ import annotations

import functools
import zlib
from collections import Counter
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
import torch

RUNAWAY, MANY, ANSWERS = 32, 40, 997
BOUND = 2.0  # of continuous actions; half of the answers lie beyond
VECTOR, FRAME = np.zeros(3, np.float32), np.zeros((4, 3, 2), np.uint8)


class RunawayError(BaseException):
    """A rollout that goes on and on."""


class Episode(NamedTuple):
    """How a path can end, and in what it is played."""

    end: int  # the step that ends the episode, from 1
    terminated: bool
    truncated: bool
    limit: int  # max_path_length
    components: int | None = None  # of an action; None: it is discrete
    like: np.ndarray = VECTOR  # an observation
    seed: int = 0


@functools.cache
def drawn(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draws what frames hold, answers, and rewards beyond 10: of both signs, and whole nowhere.

    The third frame is the second again.
    """
    rng = np.random.default_rng([285, 12, seed])
    frames = rng.uniform(-6, 6, (MANY, FRAME.size))
    frames[2] = frames[1]
    rewards = rng.uniform(11, 19, MANY) * np.resize([1, -1, -1, 1, 1], MANY)
    return frames, rng.uniform(1.1, 3, (ANSWERS, 2)) * rng.choice([-1, 1], (ANSWERS, 2)), rewards


class Fake(gym.Env[Any, Any]):
    """Plays one `Episode` over and over, and its policy; writes down what happens."""

    def __init__(self, episode: Episode, form: str = "") -> None:
        """Begins before the first reset. `form` is how the policy answers, see `forms`."""
        self.episode, self.form = episode, form
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, episode.like.shape)
        self.action_space: gym.Space[Any] = gym.spaces.Discrete(99, start=-49, seed=episode.seed)
        if episode.components:
            size = (episode.components,)
            self.action_space = gym.spaces.Box(-BOUND, BOUND, size, seed=episode.seed)
        self.draws, self.answers, self.rewards = drawn(episode.seed)
        self.frames = self.steps = 0
        self.asked: Counter[bytes] = Counter()
        self.shown: list[np.ndarray] = []
        self.together: list[int] = []
        self.taken: list[Any] = []
        self.resets: list[int] = []  # the number of steps before each
        self.seed: Any = None  # of the last reset
        self.endless = False

    def _next_frame(self) -> np.ndarray:
        like = self.episode.like
        numbers = self.draws[self.frames % MANY, : like.size].reshape(like.shape)
        self.frames += 1
        return (abs(40 * numbers) if like.dtype == np.uint8 else numbers).astype(like.dtype)

    def reset(self, *, seed: Any = None, **_: Any) -> Any:
        """Begins an episode."""
        self.steps = 0
        self.seed = seed
        self.resets.append(len(self.taken))
        return self._next_frame(), {}

    def step(self, action: Any) -> Any:
        """Takes a step of the script; past the end it goes on."""
        self.taken.append(action)
        if len(self.taken) > RUNAWAY:
            raise RunawayError
        self.steps += 1
        ends = self.steps == self.episode.end
        flags = ends and self.episode.terminated, ends and self.episode.truncated
        return self._next_frame(), float(self.rewards[len(self.taken)]), *flags, {}

    def render(self, *_: Any, **__: Any) -> Any:
        """Returns a black picture."""
        return np.zeros((2, 2, 3), np.uint8)

    def get_action(self, obs: Any) -> Any:
        """Returns a batch of actions, which tell for what, and for which time, they were asked."""
        if isinstance(obs, tuple):  # what `reset` or `step` returned
            raise AttributeError("'tuple' object has no attribute 'shape'")
        array = np.asarray(obs, np.float64)
        alone = array.ndim == self.episode.like.ndim
        rows = array.reshape(1 if alone else len(array), -1)
        self.shown.append(rows[-1])
        self.together.append(len(rows) if hasattr(obs, "shape") else 0)
        if len(self.shown) > RUNAWAY:
            raise RunawayError
        answers = np.array([self._answer(row) for row in rows])
        answers = answers[0] if alone and "alone" in self.form else answers
        return torch.as_tensor(answers) if "tensor" in self.form else answers

    def _answer(self, row: np.ndarray) -> Any:
        place = zlib.crc32(row.tobytes()) + self.asked[row.tobytes()]
        self.asked[row.tobytes()] += 1
        answer = self.answers[place % ANSWERS]
        if self.episode.components is None:
            return int(16 * answer[0])
        return answer[: self.episode.components].astype(np.float32)

"""A scripted world for rollouts: each frame, action and reward tells by its value what it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from gymnasium.envs.registration import EnvSpec

from autograder.hw3.step_world import UNSEEDED

FRAME_SIZE, ACTION_SIZE = 3, 2
DISCRETE, CONTINUOUS = "discrete", "continuous"
KINDS = ("reset", "ask", "step")
RUNAWAY = 60  # steps, or questions to the policy, after which nobody waits for the end
PER_FRAME = 10  # an action is this times its frame's number, plus how often that was asked before
NEVER = 10**6


class RunawayError(Exception):
    """A rollout that goes on and on."""


@dataclass(frozen=True)
class Episode:
    """How one episode ends, and how long a path may be."""

    end: int  # the step that ends it, from 1
    terminated: bool
    truncated: bool
    limit: int  # max_path_length

    def flags(self, step: int) -> tuple[bool, bool]:
        """Returns (terminated, truncated) of a step, from 1. Past the end: neither."""
        ends = step == self.end
        return ends and self.terminated, ends and self.truncated


def episodes(seed: int) -> dict[str, Episode]:
    """Draws an episode for each way in which a path can end."""
    rng = np.random.default_rng([285, 11, seed])
    ends = 3 + rng.permutation(4)  # no two of the first four end alike
    slack = rng.integers(4, 8, 3)
    limit = int(rng.integers(3, 8))
    first, second, third, fourth = (int(end) for end in ends)
    return {
        "terminated": Episode(first, True, False, first + int(slack[0])),
        "truncated": Episode(second, False, True, second + int(slack[1])),
        "both": Episode(third, True, True, third + int(slack[2])),
        "limit": Episode(NEVER, False, False, limit),
        "terminated_at_limit": Episode(fourth, True, False, fourth),
        "truncated_at_limit": Episode(second, False, True, second),
        "one_step": Episode(NEVER, False, False, 1),
        "terminated_at_once": Episode(1, True, False, 5),
    }


def reward_of(seed: int, step: int) -> float:
    """Returns the reward of a step, from 1: never whole nor within [-1, 1], some beyond 10."""
    size = 3.75 + 0.5 * (seed % 5) + 2.5 * step
    return size if (step + seed // 5) % 2 == 0 else -size


def frame(number: int) -> np.ndarray:
    """Returns the frame that is known by `number`. Shape (FRAME_SIZE,), float32."""
    return np.array([number, number + 0.5, -number], np.float32)


def first_frame(seed: int) -> int:
    """Returns the number of the frame before the first reset."""
    return 20 + 7 * (seed % 6)


def numbers_of(obs: Any) -> np.ndarray:
    """Returns the number of each frame that a policy is shown, whatever it comes in.

    What is a tuple of n things, as `reset` and `step` return, gives [-n]; other things give [].
    """
    if isinstance(obs, tuple):
        return np.array([-float(len(obs))])
    try:
        if hasattr(obs, "detach"):
            obs = obs.detach().cpu().numpy()
        return np.asarray(obs, np.float64).reshape(-1, FRAME_SIZE)[:, 0]
    except Exception:  # noqa: BLE001  (a student's object may raise anything)
        return np.empty(0)


def components(action: Any) -> np.ndarray:
    """Returns an action's components in a row; none if it is no numbers."""
    try:
        if hasattr(action, "detach"):
            action = action.detach().cpu().numpy()
        return np.asarray(action, np.float64).reshape(-1)
    except Exception:  # noqa: BLE001
        return np.empty(0)


class RolloutWorld(gym.Env[Any, Any]):
    """An environment that plays one `Episode` over and over, and writes down what happens."""

    def __init__(self, episode: Episode, seed: int, kind: str) -> None:
        """Begins before the first reset. `kind` is what the actions are."""
        self.episode, self.seed, self.kind = episode, seed, kind
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (FRAME_SIZE,), np.float32)
        self.action_space: gym.Space[Any] = gym.spaces.Discrete(PER_FRAME * 200)
        if kind == CONTINUOUS:
            self.action_space = gym.spaces.Box(-np.inf, np.inf, (ACTION_SIZE,), np.float32)
        self.action_space.seed(seed)
        self.spec = EnvSpec("RolloutWorld-v0", max_episode_steps=NEVER)
        self.tape: list[tuple[float, ...]] = []  # kind, then four numbers
        self.seeds: list[float] = []  # of all resets
        self.frames = first_frame(seed)
        self.total_steps = 0
        self.steps = 0

    def note(self, what: str, *numbers: float) -> None:
        """Writes an event on the tape; stops a rollout that has no end."""
        padded = [*(float(number) for number in numbers), 0.0, 0.0, 0.0, 0.0][:4]
        self.tape.append((float(KINDS.index(what)), *padded))
        if sum(event[0] == KINDS.index(what) for event in self.tape) > RUNAWAY:
            raise RunawayError(f"more than {RUNAWAY} times {what}")

    def _next_frame(self) -> np.ndarray:
        self.frames += 1
        return frame(self.frames)

    def reset(self, *, seed: Any = None, **_: Any) -> Any:
        """Begins an episode."""
        obs = self._next_frame()
        self.steps = 0
        self.seeds.append(UNSEEDED if seed is None else float(seed))
        self.note("reset", self.frames)
        return obs, {}

    def step(self, action: Any) -> Any:
        """Takes a step of the script."""
        parts = components(action)
        self.total_steps += 1
        self.steps += 1
        obs = self._next_frame()
        self.note("step", parts[0] if parts.size else -1.0, self.frames, parts.size)
        terminated, truncated = self.episode.flags(self.steps)
        reward = reward_of(self.seed, self.total_steps)
        return obs, reward, terminated, truncated, {}

    def render(self, *_: Any, **__: Any) -> Any:
        """Returns a black picture."""
        return np.zeros((2, 2, 3), np.uint8)


class ScriptedPolicy:
    """Answers with actions that tell for which frame, and for which time, they were asked.

    `answer` is how: "batch", as is asked for; "single", an action alone for a single observation,
    rather than a batch of one; "tensor", a batch that is a tensor.
    """

    def __init__(self, world: RolloutWorld, answer: str) -> None:
        """Acts in `world`, on whose tape its answers go."""
        self.world, self.answer = world, answer
        self.asked: dict[float, int] = {}

    def get_action(self, obs: Any) -> Any:
        """Returns a batch of actions, one for each frame shown."""
        shown = numbers_of(obs)
        self.world.note("ask", shown[-1] if shown.size else -1.0, shown.size)
        for number in dict.fromkeys(shown.tolist()):
            self.asked[number] = self.asked.get(number, -1) + 1
        codes = [int(PER_FRAME * number + self.asked[number]) for number in shown.tolist()]
        if self.world.kind == CONTINUOUS:
            actions = np.array([[code, -code - 0.5] for code in codes], np.float32)
        else:
            actions = np.array(codes, np.int64)
        if self.answer == "tensor":
            return torch.as_tensor(actions)
        alone = self.answer == "single" and np.ndim(obs) == 1 and len(actions) == 1
        return actions[0] if alone else actions

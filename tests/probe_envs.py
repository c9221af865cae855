"""Tiny environments whose exact values are known: each fails if one more thing is wrong.

From the first to the last an agent needs one more skill, so those that it cannot learn say where
to look. Observations have shape (1,) and hold the number of a state; everything but the first
state of an episode is certain. `exact_q` has their values.
"""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np


class Probe(gym.Env[np.ndarray, Any]):
    """What they share; each adds its states and its one rule."""

    observation_space = gym.spaces.Box(-1.0, 1.0, (1,), np.float32)
    action_space: gym.Space[Any] = gym.spaces.Discrete(2)
    states: tuple[float, ...] = (0.0,)
    """All states in which somebody acts."""
    starts: tuple[float, ...] = (0.0,)
    """Those in which an episode may begin, all equally likely."""
    limit: int | None = None
    """Steps after which an episode is truncated."""

    def outcome(self, state: float, action: Any) -> tuple[float, float, bool]:
        """Returns (next state, reward, terminated)."""
        raise NotImplementedError

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Begins an episode."""
        super().reset(seed=seed)
        self.state = self.starts[int(self.np_random.integers(len(self.starts)))]
        self.steps = 0
        return self._observation(), {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Takes a step."""
        self.state, reward, terminated = self.outcome(self.state, action)
        self.steps += 1
        truncated = self.steps == self.limit
        return self._observation(), reward, terminated, truncated, {}

    def _observation(self) -> np.ndarray:
        return np.array([self.state], np.float32)


class ConstantReward(Probe):
    """One step, reward 1. Fails if a value cannot be fitted at all, or a terminal is not masked."""

    def outcome(self, state: float, action: Any) -> tuple[float, float, bool]:
        """Ends in the state where all begins, which has a value that must not count."""
        return state, 1.0, True


class RewardFromObservation(Probe):
    """One step, the reward is the observation. Fails if observations and rewards are mixed up."""

    states = starts = (-1.0, 1.0)

    def outcome(self, state: float, action: Any) -> tuple[float, float, bool]:
        """Ends in a state that says nothing of the one before."""
        return 0.0, state, True


class TwoSteps(Probe):
    """State 0, then state 1, where reward 1 is paid. Fails if the discount is wrong."""

    states = (0.0, 1.0)

    def outcome(self, state: float, action: Any) -> tuple[float, float, bool]:
        """Goes on from 0 to 1, and ends after 1."""
        return (1.0, 0.0, False) if state == 0.0 else (1.0, 1.0, True)


class ActionMatters(Probe):
    """One step, reward 1 for action 1, else -1. Fails if action and reward are mixed up."""

    def outcome(self, state: float, action: Any) -> tuple[float, float, bool]:
        """Pays for the action."""
        return state, 1.0 if int(action) == 1 else -1.0, True


class ActionAndObservationMatter(Probe):
    """State -1, then state 1; reward 1 for action 0 in the first or 1 in the second, else -1.

    Fails if actions are paired with observations of other steps, or if what comes next is valued
    by anything but its own best action.
    """

    states = (-1.0, 1.0)
    starts = (-1.0,)

    def outcome(self, state: float, action: Any) -> tuple[float, float, bool]:
        """Pays for the action that suits the state."""
        return 1.0, 1.0 if (int(action) == 1) == (state == 1.0) else -1.0, state == 1.0


class AlwaysTruncated(Probe):
    """Reward 1 for ever, but every episode is cut after 3 steps: a cut state keeps its value.

    Fails if a time limit is stored as a terminal: one state in three would have no future.
    """

    limit = 3

    def outcome(self, state: float, action: Any) -> tuple[float, float, bool]:
        """Pays, and goes on."""
        return state, 1.0, False


PROBES: list[type[Probe]] = [
    ConstantReward,
    RewardFromObservation,
    TwoSteps,
    ActionMatters,
    ActionAndObservationMatter,
    AlwaysTruncated,
]


def exact_q(env: str, gamma: float) -> dict[float, tuple[float, ...]]:
    """Returns the optimal Q(s, .) of each state of an environment, by the environment's name."""
    forever = 1 / (1 - gamma)
    tables: dict[str, dict[float, tuple[float, ...]]] = {
        "ConstantReward": {0.0: (1.0, 1.0)},
        "RewardFromObservation": {-1.0: (-1.0, -1.0), 1.0: (1.0, 1.0)},
        "TwoSteps": {0.0: (gamma, gamma), 1.0: (1.0, 1.0)},
        "ActionMatters": {0.0: (-1.0, 1.0)},
        "ActionAndObservationMatter": {-1.0: (1 + gamma, -1 + gamma), 1.0: (-1.0, 1.0)},
        "AlwaysTruncated": {0.0: (forever, forever)},
    }
    return tables[env]

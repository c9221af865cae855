"""Six tiny environments whose exact answers are known: each fails if one more thing is wrong.

From the first to the last an agent needs one more skill, so the first probe that it cannot learn
says where to look. Observations have shape (1,) and hold the number of a state; there are two
actions; everything but the first state of an episode is certain.
"""

from typing import Any

import gymnasium as gym
import numpy as np


class Probe(gym.Env[np.ndarray, np.int64]):
    """What the probes share; each adds its states, its one rule and its answers."""

    observation_space = gym.spaces.Box(-1.0, 1.0, (1,), np.float32)
    action_space = gym.spaces.Discrete(2)
    starts: tuple[float, ...] = (0.0,)
    """The states in which an episode may begin, all equally likely."""
    limit: int | None = None
    """Steps after which an episode is truncated."""

    def outcome(self, state: float, action: int) -> tuple[float, float, bool]:
        """Returns (next state, reward, terminated)."""
        raise NotImplementedError

    @staticmethod
    def exact_q(gamma: float) -> dict[float, tuple[float, float]]:
        """Returns the optimal Q(s, .) of each state: the exact answer."""
        raise NotImplementedError

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        self.state = float(self.np_random.choice(self.starts))
        self.steps = 0
        return self._observation(), {}

    def step(self, action: np.int64) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        self.state, reward, terminated = self.outcome(self.state, int(action))
        self.steps += 1
        return self._observation(), reward, terminated, self.steps == self.limit, {}

    def _observation(self) -> np.ndarray:
        return np.array([self.state], np.float32)


class ConstantReward(Probe):
    """One step, reward 1. Fails if a value cannot be fitted at all, or a terminal is not masked."""

    def outcome(self, state: float, action: int) -> tuple[float, float, bool]:
        return state, 1.0, True

    @staticmethod
    def exact_q(gamma: float) -> dict[float, tuple[float, float]]:
        return {0.0: (1.0, 1.0)}


class RewardFromObservation(Probe):
    """One step, the reward is the observation. Fails if observations and rewards are mixed up."""

    starts = (-1.0, 1.0)

    def outcome(self, state: float, action: int) -> tuple[float, float, bool]:
        return state, state, True

    @staticmethod
    def exact_q(gamma: float) -> dict[float, tuple[float, float]]:
        return {-1.0: (-1.0, -1.0), 1.0: (1.0, 1.0)}


class TwoSteps(Probe):
    """State 0, then state 1, where reward 1 is paid. Fails if the discount is wrong."""

    def outcome(self, state: float, action: int) -> tuple[float, float, bool]:
        return (1.0, 0.0, False) if state == 0.0 else (1.0, 1.0, True)

    @staticmethod
    def exact_q(gamma: float) -> dict[float, tuple[float, float]]:
        return {0.0: (gamma, gamma), 1.0: (1.0, 1.0)}


class ActionMatters(Probe):
    """One step, reward 1 for action 1, else -1. Fails if action and reward are mixed up."""

    def outcome(self, state: float, action: int) -> tuple[float, float, bool]:
        return state, 1.0 if action == 1 else -1.0, True

    @staticmethod
    def exact_q(gamma: float) -> dict[float, tuple[float, float]]:
        return {0.0: (-1.0, 1.0)}


class ActionAndObservationMatter(Probe):
    """One step, reward 1 for action 1 in state 1 or 0 in state -1, else -1.

    Fails if the batch pairs actions with observations of other steps.
    """

    starts = (-1.0, 1.0)

    def outcome(self, state: float, action: int) -> tuple[float, float, bool]:
        return state, 1.0 if (action == 1) == (state == 1.0) else -1.0, True

    @staticmethod
    def exact_q(gamma: float) -> dict[float, tuple[float, float]]:
        return {-1.0: (1.0, -1.0), 1.0: (-1.0, 1.0)}


class AlwaysTruncated(Probe):
    """Reward 1 for ever, but every episode is cut after 3 steps: a cut state keeps its value.

    Fails if a time limit is stored as a terminal: one state in three would have no future, and
    its value, V = 1 + gamma * (2 / 3) * V, would be 2.14 instead of 5 with gamma 0.8.
    """

    limit = 3

    def outcome(self, state: float, action: int) -> tuple[float, float, bool]:
        return state, 1.0, False

    @staticmethod
    def exact_q(gamma: float) -> dict[float, tuple[float, float]]:
        return {0.0: (1 / (1 - gamma), 1 / (1 - gamma))}


PROBES: list[type[Probe]] = [
    ConstantReward,
    RewardFromObservation,
    TwoSteps,
    ActionMatters,
    ActionAndObservationMatter,
    AlwaysTruncated,
]

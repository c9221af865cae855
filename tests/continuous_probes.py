"""Tiny environments with one continuous action in (-1, 1), and the exact values in them."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from tests import probe_envs

BEST = 0.3  # the best action where actions matter; with the observation, BEST times it


class Probe(probe_envs.Probe):
    """States and ends as in the discrete ones; `q` is the value of the best that can follow."""

    action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
    q: staticmethod


class ConstantReward(Probe, probe_envs.ConstantReward):
    """One step, reward 1."""

    q = staticmethod(lambda state, action, gamma: 1.0)


class RewardFromObservation(Probe, probe_envs.RewardFromObservation):
    """One step, the reward is the observation."""

    q = staticmethod(lambda state, action, gamma: state)


class TwoSteps(Probe, probe_envs.TwoSteps):
    """State 0, then state 1, where reward 1 is paid."""

    q = staticmethod(lambda state, action, gamma: 1.0 if state == 1.0 else gamma)


class ActionMatters(Probe):
    """One step, paid less the farther the action is from BEST."""

    def outcome(self, state: float, action: Any) -> tuple[float, float, bool]:
        return state, 1.0 - 2 * float(action[0] - BEST) ** 2, True

    q = staticmethod(lambda state, action, gamma: 1.0 - 2 * (action - BEST) ** 2)


class ActionAndObservationMatter(Probe):
    """State -1, where -BEST is best, then state 1, where BEST is."""

    states = (-1.0, 1.0)
    starts = (-1.0,)

    def outcome(self, state: float, action: Any) -> tuple[float, float, bool]:
        return 1.0, 1.0 - 2 * float(action[0] - BEST * state) ** 2, state == 1.0

    q = staticmethod(
        lambda state, action, gamma: (
            1.0 - 2 * (action - BEST * state) ** 2 + (gamma if state == -1.0 else 0.0)
        )
    )


class AlwaysTruncated(Probe, probe_envs.AlwaysTruncated):
    """Reward 1 for ever, but every episode is cut after 3 steps: V = 1 / (1 - gamma)."""

    q = staticmethod(lambda state, action, gamma: 1.0 / (1.0 - gamma))


PROBES: list[type[Probe]] = [
    ConstantReward,
    RewardFromObservation,
    TwoSteps,
    ActionMatters,
    ActionAndObservationMatter,
    AlwaysTruncated,
]
WHERE_ACTIONS_MATTER = (ActionMatters, ActionAndObservationMatter)

"""Helpers of the tests of PPO and TRPO: vector environments, and paths put in their place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from gymnasium.wrappers import RecordEpisodeStatistics

from cs285.infrastructure.environments.env_state import SeededResets
from cs285.infrastructure.rollouts import PathBuffer, PathDict
from cs285.infrastructure.training.rollout_collector import VectorEnv


class Nowhere:
    """Where an agent stands that only learns from given paths."""

    num_envs = 1

    def reset(self) -> np.ndarray:
        return np.zeros((1, 3), np.float32)


def hold(agent: Any, paths: Sequence[PathDict]) -> None:
    """Makes the agent hold paths as if it had played them."""
    buffer = PathBuffer()
    buffer.add_rollouts(paths)
    agent.collector.batch, agent.collector.path_ends_n = buffer.batch, buffer.path_ends_n


def vector_env(make: Callable[[], Any], num_envs: int, seed: int = 0) -> VectorEnv:
    """Returns environments as the scripts make them."""
    env = VectorEnv(lambda: SeededResets(RecordEpisodeStatistics(make())), num_envs)
    env.reset(seed=seed)
    return env

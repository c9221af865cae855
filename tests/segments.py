"""Helpers of the tests of PPO and TRPO: vector environments, and batches of given paths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gymnasium.wrappers import RecordEpisodeStatistics

from cs285.infrastructure.environments.env_state import SeededResets
from cs285.infrastructure.rollouts import PathBatch, PathBuffer, PathDict
from cs285.infrastructure.training.rollout_collector import VectorEnv


def joined(paths: Sequence[PathDict]) -> PathBatch:
    """Returns the batch of an agent that has played these paths."""
    buffer = PathBuffer()
    buffer.add_rollouts(paths)
    return buffer.sample_recent_data(1)


def vector_env(make: Callable[[], Any], num_envs: int, seed: int = 0) -> VectorEnv:
    """Returns environments as the scripts make them."""
    env = VectorEnv(lambda: SeededResets(RecordEpisodeStatistics(make())), num_envs)
    env.reset(seed=seed)
    return env

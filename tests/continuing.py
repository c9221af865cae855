"""Helpers of the tests that continue an environment from its saved state."""

from pathlib import Path
from typing import Any

import gymnasium as gym
from gymnasium.wrappers import RecordEpisodeStatistics

from cs285.infrastructure.environments import env_state
from cs285.infrastructure.training.checkpoint import read_state, write_state


def play(env: gym.Env[Any, Any], actions: list[Any]) -> list[Any]:
    """Plays, with a reset after each episode; returns all that was seen."""
    record: list[Any] = []
    for action in actions:
        obs, *rest, _ = env.step(action)
        record.append((obs.tobytes(), *rest))
        if rest[1] or rest[2]:
            record.append(env.reset()[0].tobytes())
    return record


def through_disk(env: gym.Env[Any, Any], directory: Path) -> dict[str, Any]:
    """Returns the environment's state as a checkpoint gives it back."""
    directory.mkdir(exist_ok=True)
    write_state(directory, env_state.within(env, env_state.ResumableEnv).state_dict())
    return read_state(directory)


def scores(env: gym.Env[Any, Any]) -> tuple[list[float], list[int]]:
    statistics = env_state.within(env, RecordEpisodeStatistics)
    return list(statistics.return_queue), list(statistics.length_queue)

"""Environments that step together, and segments of play: nothing is lost at their ends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from cs285.agents.segment_agent import SegmentAgent
from cs285.infrastructure.training.checkpoint import read_state, write_state
from cs285.infrastructure.training.rollout_collector import (
    RolloutCollector,
    VectorEnv,
)
from tests.segments import vector_env

TERMINATED, TRUNCATED = (True, False), (False, True)


class Scripted(gym.Env[np.ndarray, np.ndarray]):
    """Shows (episode, step), and ends episode k after k + 2 steps: by itself and by a limit."""

    observation_space = gym.spaces.Box(-np.inf, np.inf, (2,), np.float64)
    action_space = gym.spaces.Box(-1, 1, (1,), np.float32)

    def __init__(self) -> None:
        self.at = [-1, 0]

    def reset(self, **_: Any) -> tuple[np.ndarray, dict[str, Any]]:
        self.at = [self.at[0] + 1, 0]
        return np.array(self.at, float), {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        self.at[1] += 1
        over = self.at[1] == self.at[0] + 2
        ends = TERMINATED if self.at[0] % 2 else TRUNCATED
        return np.array(self.at, float), float(action[0]), over and ends[0], over and ends[1], {}


class Counting:
    """Acts with the number of the call, plus the row."""

    calls = 0

    def get_action(self, obs: np.ndarray) -> np.ndarray:
        self.calls += 1
        return self.calls + 100.0 * np.arange(len(obs), dtype=np.float32)[:, None]


def begun(num_envs: int) -> VectorEnv:
    """Environments at the start of their episode 0, whatever was reset before."""
    env = vector_env(Scripted, num_envs)
    for one in env.vector.envs:
        one.unwrapped.at = [-1, 0]
    return env


def test_a_segment_by_hand() -> None:
    collector = RolloutCollector(begun(2), Counting(), batch_size=14)
    batch = collector.collect()
    ob_no, ac_na, re_n, next_ob_no, terminal_n, path_ends_n = batch
    # Episode 0 is cut after 2 steps, episode 1 ends after 3, and two steps of episode 2 are left.
    obs = [[0, 0], [0, 1], [1, 0], [1, 1], [1, 2], [2, 0], [2, 1]]
    assert ob_no.tolist() == obs * 2
    assert next_ob_no.tolist() == [[k, t + 1] for k, t in obs] * 2  # the true ones
    assert terminal_n.tolist() == [0, 0, 0, 0, 1, 0, 0] * 2
    assert path_ends_n.tolist() == [False, True, False, False, True, False, True] * 2
    assert re_n.tolist() == [*range(1, 8), *range(101, 108)]  # one environment after the other
    assert ac_na[:, 0].tolist() == re_n.tolist()
    assert all(column.dtype == np.float32 for column in batch[:5])


def test_an_episode_goes_on_in_the_next_segment() -> None:
    collector = RolloutCollector(begun(1), Counting(), batch_size=7)
    collector.collect()
    ob_no, *_, terminal_n, path_ends_n = collector.collect()
    assert ob_no.tolist() == [[2, 2], [2, 3], [3, 0], [3, 1], [3, 2], [3, 3], [3, 4]]
    assert terminal_n.tolist() == [0, 0, 0, 0, 0, 0, 1]
    assert path_ends_n.tolist() == [False, True, False, False, False, False, True]


def test_only_a_whole_batch_is_handed_out_and_only_once() -> None:
    agent = SegmentAgent.__new__(SegmentAgent)
    agent.collector = RolloutCollector(begun(1), Counting(), batch_size=7)
    with pytest.raises(ValueError, match="wanted the latest 7"):
        agent.sample(7)
    agent.step_env()
    assert len(agent.sample(7).re_n) == 7
    with pytest.raises(ValueError, match="wanted the latest 7"):
        agent.sample(7)
    agent.step_env()
    with pytest.raises(ValueError, match="wanted the latest 6"):
        agent.sample(6)


def test_statistics_are_those_of_whole_episodes_of_all() -> None:
    env = begun(2)
    RolloutCollector(env, Counting(), batch_size=14).collect()
    assert list(env.length_queue) == [2, 2, 3, 3]
    assert list(env.return_queue) == [1 + 2, 101 + 102, 3 + 4 + 5, 103 + 104 + 105]
    assert env.episode_count == 4


@pytest.mark.parametrize("name", ["CartPole-v1", "HalfCheetah-v5", "LunarLander-v3"])
def test_saved_within_episodes_they_go_on_bit_for_bit(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # MuJoCo writes its log here
    env, again = (vector_env(lambda: gym.make(name), 3, seed) for seed in (1, 7))
    env.vector.action_space.seed(0)
    actions = [env.vector.action_space.sample() for _ in range(120)]
    for action in actions[:45]:
        env.step(action)
    write_state(tmp_path / "state", env.state_dict())
    again.load_state_dict(read_state(tmp_path / "state"))
    for action in actions[45:]:
        for one, other in zip(env.step(action), again.step(action), strict=True):
            assert one.tobytes() == other.tobytes()
    assert list(env.return_queue) == list(again.return_queue)
    assert env.episode_count == again.episode_count


def test_each_begins_differently() -> None:
    env = vector_env(lambda: gym.make("CartPole-v1"), 3, seed=1)
    starts = env.reset(seed=1)
    assert len(np.unique(starts, axis=0)) == 3
    np.testing.assert_array_equal(starts, env.reset(seed=1))

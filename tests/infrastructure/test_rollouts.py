"""Rollouts: every field of every row, the two ways an episode ends, and how paths are joined."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from cs285.infrastructure import rollouts


class CountingEnv(gym.Env[np.ndarray, np.int64]):
    """Each observation is (episode, step), each reward 10 * step + action: all rows differ."""

    observation_space = gym.spaces.Box(-np.inf, np.inf, (2,))
    action_space = gym.spaces.Discrete(7)

    def __init__(self, terminate_at: int | None = None, truncate_at: int | None = None) -> None:
        self.terminate_at, self.truncate_at = terminate_at, truncate_at
        self.episode = 0
        self.steps = 0
        self.finished = True

    def reset(self, **_: Any) -> tuple[np.ndarray, dict[str, Any]]:
        self.episode, self.steps, self.finished = self.episode + 1, 0, False
        return self._observation(), {}

    def step(self, action: np.int64) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        assert not self.finished, "stepped a finished episode"
        assert np.shape(action) == (), "the action of one step is not a batch"
        self.steps += 1
        terminated, truncated = self.steps == self.terminate_at, self.steps == self.truncate_at
        self.finished = terminated or truncated
        return self._observation(), 10.0 * self.steps + action, terminated, truncated, {}

    def render(self) -> np.ndarray:
        return np.full((2, 3, 3), 10 * self.episode + self.steps, dtype=np.uint8)

    def _observation(self) -> np.ndarray:
        return np.array([self.episode, self.steps], dtype=np.float64)


class EchoPolicy:
    """Plays the step number that it sees, and answers with a batch of one as policies do."""

    def get_action(self, obs: np.ndarray) -> np.ndarray:
        return np.array([int(obs[1])])


def test_path_by_hand() -> None:
    path = rollouts.sample_trajectory(CountingEnv(terminate_at=3), EchoPolicy(), 50)
    assert path["observation"].tolist() == [[1, 0], [1, 1], [1, 2]]
    assert path["next_observation"].tolist() == [[1, 1], [1, 2], [1, 3]]
    assert path["action"].tolist() == [0, 1, 2]
    assert path["reward"].tolist() == [10, 21, 32]  # 10 * 1 + 0, 10 * 2 + 1, 10 * 3 + 2
    assert path["terminal"].tolist() == [0, 0, 1]
    assert path["image_obs"].shape == (0,)
    assert {path[key].dtype for key in path if key != "image_obs"} == {np.dtype(np.float32)}
    assert set(path) == {
        "observation", "image_obs", "reward", "action", "next_observation", "terminal"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("terminate_at", "truncate_at", "max_path_length", "length", "last_terminal"),
    [
        (4, None, 50, 4, 1),  # the task ended
        (None, 4, 50, 4, 0),  # the environment's time limit
        (None, None, 4, 4, 0),  # our own limit
        (4, None, 4, 4, 1),  # ended in the very step of our limit: still an end
        (4, 4, 50, 4, 1),  # both facts at once
        (None, None, 1, 1, 0),
    ],
)
def test_only_termination_is_terminal(
    terminate_at: int | None,
    truncate_at: int | None,
    max_path_length: int,
    length: int,
    last_terminal: int,
) -> None:
    env = CountingEnv(terminate_at, truncate_at)
    path = rollouts.sample_trajectory(env, EchoPolicy(), max_path_length)
    assert rollouts.get_pathlength(path) == length
    assert path["terminal"].tolist() == [0] * (length - 1) + [last_terminal]
    assert path["next_observation"][-1].tolist() == [1, length]


def test_render_shows_the_state_acted_in() -> None:
    path = rollouts.sample_trajectory(CountingEnv(terminate_at=3), EchoPolicy(), 50, render=True)
    assert path["image_obs"].shape == (3, 2, 3, 3)
    assert path["image_obs"].dtype == np.uint8
    assert path["image_obs"][:, 0, 0, 0].tolist() == [10, 11, 12]


def test_image_observations_stay_bytes() -> None:
    frames = [np.full((4, 4), t, dtype=np.uint8) for t in range(3)]
    path = rollouts.Path(frames[:-1], [], [0, 1], [0.0, 1.0], frames[1:], [False, True])
    assert path["observation"].dtype == path["next_observation"].dtype == np.uint8
    assert path["next_observation"][:, 0, 0].tolist() == [1, 2]


@pytest.mark.parametrize(("at_least", "num_paths"), [(1, 1), (3, 1), (4, 2), (6, 2), (7, 3)])
def test_batches_are_whole_paths(at_least: int, num_paths: int) -> None:
    env = CountingEnv(terminate_at=3)
    paths, timesteps = rollouts.sample_trajectories(env, EchoPolicy(), at_least, 50)
    assert timesteps == 3 * num_paths
    assert [path["observation"][0].tolist() for path in paths] == [
        [episode + 1, 0] for episode in range(num_paths)
    ]


def test_limits_and_rendering_reach_every_path() -> None:
    paths, timesteps = rollouts.sample_trajectories(CountingEnv(), EchoPolicy(), 5, 2, render=True)
    assert (len(paths), timesteps) == (3, 6)
    assert all(len(path["image_obs"]) == 2 for path in paths)
    paths = rollouts.sample_n_trajectories(CountingEnv(), EchoPolicy(), 4, 2, render=True)
    assert [rollouts.get_pathlength(path) for path in paths] == [2] * 4
    assert [path["observation"][0, 0] for path in paths] == [1, 2, 3, 4]
    assert all(len(path["image_obs"]) == 2 for path in paths)


def test_joined_paths_keep_their_order_and_columns() -> None:
    env = CountingEnv(terminate_at=3)
    paths = rollouts.sample_n_trajectories(env, EchoPolicy(), 2, 50)
    obs, acs, rews, next_obs, terminals = rollouts.convert_listofrollouts(paths)
    # A slow oracle: play both episodes again, row by row.
    rows = [(episode, step) for episode in (1, 2) for step in (0, 1, 2)]
    assert obs.tolist() == [[episode, step] for episode, step in rows]
    assert acs.tolist() == [step for _, step in rows]
    assert rews.tolist() == [10 * (step + 1) + step for _, step in rows]
    assert next_obs.tolist() == [[episode, step + 1] for episode, step in rows]
    assert terminals.tolist() == [float(step == 2) for _, step in rows]


def test_continuous_actions_keep_their_components() -> None:
    class TwoKnobs:
        def get_action(self, obs: np.ndarray) -> np.ndarray:
            return np.array([[0.5, -2.0]], dtype=np.float32)

    class SumEnv(CountingEnv):
        def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
            assert action.shape == (2,)
            return super().step(action.sum())

    path = rollouts.sample_trajectory(SumEnv(terminate_at=2), TwoKnobs(), 50)
    assert path["action"].tolist() == [[0.5, -2.0], [0.5, -2.0]]
    assert path["reward"].tolist() == [8.5, 18.5]

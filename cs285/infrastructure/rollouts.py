"""Plays a policy in an environment, and stores what happened as *paths*.

A path is one episode, or the part of one that was played: a dict of arrays whose row t is the
transition (s_t, a_t, r_t, s_{t+1}, terminal_t).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import gymnasium as gym
import numpy as np

from cs285.infrastructure.base.state import Stateful

PathDict = dict[str, np.ndarray]
Batch = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Transitions, in the order of `train`'s arguments."""


class Policy(Protocol):
    """What a rollout needs of a policy."""

    def get_action(self, obs: np.ndarray) -> np.ndarray:
        """Returns a batch of actions, one for each row of `obs` (one for a single `obs`)."""


def Path(  # noqa: N802  (the course's name)
    obs: Sequence[Any],
    image_obs: Sequence[Any],
    acs: Sequence[Any],
    rewards: Sequence[Any],
    next_obs: Sequence[Any],
    terminals: Sequence[Any],
) -> PathDict:
    """Stacks the lists of one rollout, each with an entry a step, into a path.

    Returns:
        A dict of arrays, T rows each: "observation" and "next_observation", shape (T, *ob);
        "action", shape (T, *ac); "reward" and "terminal", shape (T,); all float32, except
        that observations of bytes (Atari frames) stay bytes. "image_obs" is uint8 of shape
        (T, height, width, 3), or empty where nothing was rendered.
    """
    return {
        "observation": _stack_observations(obs),
        "image_obs": np.array(image_obs, dtype=np.uint8),
        "reward": np.array(rewards, dtype=np.float32),
        "action": np.array(acs, dtype=np.float32),
        "next_observation": _stack_observations(next_obs),
        "terminal": np.array(terminals, dtype=np.float32),
    }


def _stack_observations(obs: Sequence[Any]) -> np.ndarray:
    """Stacks observations as float32, or as they are where they are bytes."""
    stacked = np.array(obs)
    # As float32, the frames of one long Atari episode would take four times the memory.
    return stacked if stacked.dtype == np.uint8 else stacked.astype(np.float32)


def sample_trajectory(
    env: gym.Env[Any, Any], policy: Policy, max_path_length: int, render: bool = False
) -> PathDict:
    """Plays one path from a fresh reset, until the episode ends or `max_path_length` steps.

    An episode ends for one of two reasons, and only the first is stored in "terminal":
    `terminated`, no reward can follow, so V(s') = 0; and `truncated`, somebody stopped the
    clock, but s' still has a value. A path cut at `max_path_length` is truncated as well.

    Args:
        env: The environment; with `render`, made with render_mode="rgb_array".
        policy: Chooses the actions.
        max_path_length: Most steps of the path, at least 1.
        render: Whether to store a picture of each state acted in, as "image_obs".

    Returns:
        The path, see `Path`.

    Source: Pardo et al., 2018, https://arxiv.org/abs/1712.00378 (time limits).
    """
    obs, acs, rewards, next_obs, terminals, image_obs = [], [], [], [], [], []
    ob, _ = env.reset()
    while True:
        if render:
            image_obs.append(env.render())
        # One step: ask the policy for an action in `ob`, take it, and append to each of the lists
        # obs, acs, rewards, next_obs and terminals. Leave the new observation in `ob`, and in
        # `rollout_done` whether the path ends here: terminated, truncated, or max_path_length.
        # HINT: get_action answers with a batch of actions; here that is a batch of one.
        # HINT: env.step returns (next observation, reward, terminated, truncated, info).
        # BEGIN SOLUTION hw3.rollouts.sample_trajectory -> ob, rollout_done
        obs.append(ob)
        ac = policy.get_action(ob)[0]
        acs.append(ac)
        ob, rew, terminated, truncated, _ = env.step(ac)
        next_obs.append(ob)
        rewards.append(rew)
        terminals.append(terminated)
        rollout_done = terminated or truncated or len(acs) >= max_path_length
        # END SOLUTION
        if rollout_done:
            return Path(obs, image_obs, acs, rewards, next_obs, terminals)


def sample_trajectories(
    env: gym.Env[Any, Any],
    policy: Policy,
    min_timesteps_per_batch: int,
    max_path_length: int,
    render: bool = False,
) -> tuple[list[PathDict], int]:
    """Plays whole paths until they hold at least `min_timesteps_per_batch` steps together.

    Returns:
        The paths, oldest first, and the number of environment steps in them.
    """
    paths: list[PathDict] = []
    timesteps = 0
    while timesteps < min_timesteps_per_batch:
        paths.append(sample_trajectory(env, policy, max_path_length, render))
        timesteps += get_pathlength(paths[-1])
    return paths, timesteps


def sample_n_trajectories(
    env: gym.Env[Any, Any], policy: Policy, ntraj: int, max_path_length: int, render: bool = False
) -> list[PathDict]:
    """Plays `ntraj` paths, oldest first."""
    return [sample_trajectory(env, policy, max_path_length, render) for _ in range(ntraj)]


def get_pathlength(path: PathDict) -> int:
    """Returns the number of steps in `path`."""
    return len(path["reward"])


def convert_listofrollouts(paths: Sequence[PathDict]) -> Batch:
    """Joins paths end to end, so that a row no longer says which path it came from.

    Returns:
        observations, actions, rewards, next_observations, terminals: the order of `train`'s
        arguments. Each has a row for every step of every path, in the order played.
    """
    observations = np.concatenate([path["observation"] for path in paths])
    actions = np.concatenate([path["action"] for path in paths])
    rewards = np.concatenate([path["reward"] for path in paths])
    next_observations = np.concatenate([path["next_observation"] for path in paths])
    terminals = np.concatenate([path["terminal"] for path in paths])
    return observations, actions, rewards, next_observations, terminals


class PathBuffer(Stateful):
    """Holds the transitions of the latest iteration.

    A policy gradient is an average over what the *present* policy does. One update makes a new
    policy, and the data of the one before it stale; so new paths replace the old ones here.
    """

    kept = ("batch", "path_ends_n")

    def __init__(self) -> None:
        """Starts empty."""
        self.batch: Batch | None = None
        self.path_ends_n: np.ndarray | None = None
        """Beside the batch: true at the last step of each path. Shape (n,), bool."""

    def __len__(self) -> int:
        """Returns the number of transitions held."""
        return 0 if self.batch is None else len(self.batch[2])

    def add_rollouts(self, paths: Sequence[PathDict]) -> None:
        """Stores the transitions of `paths` in place of those held so far."""
        self.batch = convert_listofrollouts(paths)
        self.path_ends_n = np.zeros(len(self), bool)
        self.path_ends_n[np.cumsum([get_pathlength(path) for path in paths]) - 1] = True

    def sample_recent_data(self, batch_size: int) -> Batch:
        """Returns every transition held, in the order played.

        Args:
            batch_size: How many transitions the caller counts on, at least. An iteration
                collects whole paths, so there are usually a few more, and all of them are used.

        Returns:
            ob_no, ac_na, re_n, next_ob_no, terminal_n, with as many rows each.

        Raises:
            ValueError: If fewer than `batch_size` transitions are held, or none.
        """
        if self.batch is None or len(self) < batch_size:
            raise ValueError(f"wanted {batch_size} transitions, the buffer holds {len(self)}")
        return self.batch

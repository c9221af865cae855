"""Plays a policy in an environment, and stores what happened as *paths*.

A path is one episode, or the part of one that was played: a dict of arrays whose row t is the
transition (s_t, a_t, r_t, s_{t+1}, terminal_t).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Discrete, flatdim

PathDict = dict[str, np.ndarray]


class Batch(NamedTuple):
    """Transitions, a row each; `agent.train(*batch)` learns from them."""

    ob_no: np.ndarray
    """s. Shape (n, *ob_dim)."""
    ac_na: np.ndarray
    """Actions taken. Shape (n,) if discrete, else (n, ac_dim)."""
    re_n: np.ndarray
    """Rewards. Shape (n,)."""
    next_ob_no: np.ndarray
    """s'. Shape (n, *ob_dim)."""
    terminal_n: np.ndarray
    """1.0 where nothing counts after this step. Shape (n,)."""


class PathBatch(NamedTuple):
    """The same of paths joined end to end, in the order played: for sums over a path's rewards."""

    ob_no: np.ndarray
    ac_na: np.ndarray
    re_n: np.ndarray
    next_ob_no: np.ndarray
    terminal_n: np.ndarray
    path_ends_n: np.ndarray
    """True at the last step of each path, whyever it ended. Shape (n,), bool."""


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
    return Batch(observations, actions, rewards, next_observations, terminals)


class PathBuffer:
    """Holds the transitions of the latest iteration.

    A policy gradient is an average over what the *present* policy does. One update makes a new
    policy, and the data of the one before it stale; so new paths replace the old ones here.
    """

    def __init__(self, reward_scale: float = 1.0) -> None:
        """Starts empty; rewards are multiplied by `reward_scale`, those of the paths stay."""
        self.batch: PathBatch | None = None
        self.reward_scale = reward_scale

    def __len__(self) -> int:
        """Returns the number of transitions held."""
        return 0 if self.batch is None else len(self.batch.re_n)

    def add_rollouts(self, paths: Sequence[PathDict]) -> None:
        """Stores the transitions of `paths` in place of those held so far."""
        batch = convert_listofrollouts(paths)
        if self.reward_scale != 1.0:
            batch = batch._replace(re_n=(self.reward_scale * batch.re_n).astype(batch.re_n.dtype))
        path_ends_n = np.zeros(len(batch.re_n), bool)
        path_ends_n[np.cumsum([get_pathlength(path) for path in paths]) - 1] = True
        self.batch = PathBatch(*batch, path_ends_n)

    def sample_recent_data(self, batch_size: int) -> PathBatch:
        """Returns every transition held, in the order played.

        Args:
            batch_size: How many transitions the caller counts on, at least. An iteration
                collects whole paths, so there are usually a few more, and all of them are used.

        Returns:
            All transitions, see `PathBatch`.

        Raises:
            ValueError: If fewer than `batch_size` transitions are held, or none.
        """
        if self.batch is None or len(self) < batch_size:
            raise ValueError(f"wanted {batch_size} transitions, the buffer holds {len(self)}")
        return self.batch

    def state_dict(self) -> dict[str, Any]:
        """Returns the batch as a plain tuple: a state tree has no names of fields."""
        return {"batch": None if self.batch is None else tuple(self.batch)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restores what `state_dict` returned."""
        self.batch = None if state["batch"] is None else PathBatch(*state["batch"])


def sizes(
    observations: gym.Space[Any], actions: gym.Space[Any]
) -> tuple[int | tuple[int, ...], int, bool]:
    """Returns what networks must know of a task's spaces: ob_dim, ac_dim, discrete.

    `ob_dim` is the number of an observation's components, or the shape of a stack of frames.
    """
    shape = observations.shape or ()
    ob_dim = shape if len(shape) == 3 else flatdim(observations)
    return ob_dim, flatdim(actions), isinstance(actions, Discrete)  # flat: the number of choices

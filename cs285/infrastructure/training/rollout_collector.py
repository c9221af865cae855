"""Segments of play: environments that step together, and who collects what happens in them."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from cs285.infrastructure import pytorch_util as ptu
from cs285.infrastructure.base.state import Stateful
from cs285.infrastructure.rollouts import PathBatch, Policy

AT_ONCE = 16  # minibatches that one call fetches


class VectorEnv:
    """Environments that step together, each in its own time, and can be saved at any step."""

    def __init__(self, make: Callable[[], gym.Env[Any, Any]], num_envs: int) -> None:
        """Makes `num_envs` environments, as one of Gymnasium's vector environments."""
        # Disabled, for where an episode ends one wants both: its last observation, and the next.
        # No copy, for what is wanted of an observation is copied out of it before the next step.
        self.vector = SyncVectorEnv(
            [make] * num_envs, copy=False, autoreset_mode=AutoresetMode.DISABLED
        )
        self.num_envs, self.spec = num_envs, self.vector.envs[0].spec
        self.action_space = self.vector.action_space
        self.spaces = self.vector.single_observation_space, self.vector.single_action_space
        """Of observations and of actions, of one environment."""
        space: Any = self.spaces[0]
        flags = (np.empty(num_envs, bool), np.empty(num_envs, bool))
        self.room = (np.empty((num_envs, *space.shape), space.dtype), np.empty(num_envs), *flags)
        self.return_queue: deque[float] = deque(maxlen=100)
        self.length_queue: deque[int] = deque(maxlen=100)
        self.episode_count = 0
        self.counted = [0] * num_envs  # whole episodes of each, as far as they are counted above
        self.fresh_obs: dict[int, np.ndarray] | None = None
        """By the number of an environment: the first observation of the episode that
        `load_state_dict` began in it, where its simulator did not come back; None if all did."""

    def reset(self, seed: int | None = None) -> np.ndarray:
        """Begins an episode in each; with a seed, the first of that seed. Shape (num_envs, ob)."""
        seeds = None if seed is None else ptu.own_seeds(seed, self.num_envs)
        obs: np.ndarray = self.vector.reset(seed=seeds)[0]  # type: ignore[arg-type]
        return obs

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Takes one step in each, and begins a new episode where one has ended.

        Args:
            actions: Shape (num_envs, *ac).

        Returns:
            Rewards; the observations they led to; the same, but the first of the next episode
            where one has ended; terminated; truncated. A row for each environment. Observations
            are overwritten by the next step.
        """
        # A loop of its own: that of SyncVectorEnv takes half as long as an environment's step.
        next_obs, rewards, terminated, truncated = self.room
        ended = list[int]()
        for i, env in enumerate(self.vector.envs):
            next_obs[i], rewards[i], terminates, is_cut, _ = env.step(actions[i])
            terminated[i], truncated[i] = terminates, is_cut
            if terminates or is_cut:
                ended.append(i)
        if not ended:
            return rewards, next_obs, next_obs, terminated, truncated
        obs = next_obs.copy()
        for i in ended:
            obs[i], _ = self.vector.envs[i].reset()
        self._count(ended)
        return rewards, next_obs, obs, terminated, truncated

    def _count(self, ended: Sequence[int]) -> None:
        """Takes whole episodes into the statistics, of the environments in which one has ended.

        A lost life of a game ends an agent's episode, but no whole one.
        """
        for i in ended:
            of_env = self.vector.envs[i].get_wrapper_attr
            if of_env("episode_count") > self.counted[i]:
                self.return_queue.append(of_env("return_queue")[-1])
                self.length_queue.append(of_env("length_queue")[-1])
                self.episode_count += 1
            self.counted[i] = of_env("episode_count")

    def close(self) -> None:
        """Closes them all."""
        self.vector.close()

    def state_dict(self) -> dict[str, Any]:
        """Returns a state tree from which `load_state_dict` continues exactly."""
        return {
            "envs": [env.get_wrapper_attr("state_dict")() for env in self.vector.envs],
            "statistics": [list(self.return_queue), list(self.length_queue), self.episode_count],
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Brings freshly made environments to where `state_dict` was called."""
        self.reset()
        for env, its in zip(self.vector.envs, state["envs"], strict=True):
            env.get_wrapper_attr("load_state_dict")(its)
        self.counted = [env.get_wrapper_attr("episode_count") for env in self.vector.envs]
        begun = [env.get_wrapper_attr("fresh_obs") for env in self.vector.envs]
        self.fresh_obs = {i: obs for i, obs in enumerate(begun) if obs is not None} or None
        returns, lengths, self.episode_count = state["statistics"]
        self.return_queue.extend(returns)
        self.length_queue.extend(lengths)


class RolloutCollector(Stateful):
    """Plays segments of a fixed length; an episode may go on from one segment into the next."""

    kept = ("last_obs",)  # a batch that was learned from is stale

    def __init__(self, env: VectorEnv, actor: Policy, batch_size: int) -> None:
        """Begins the first episodes; `batch_size` steps are a batch, in all together."""
        self.env, self.actor = env, actor
        self.steps = batch_size // env.num_envs
        self.last_obs = env.reset()

    def collect(self) -> PathBatch:
        """Plays one segment in each environment; returns their transitions.

        One environment's steps are behind those of another. A path ends where its episode does,
        and at the end of the segment. There, and where a time limit cuts, it is not terminal: the
        last state keeps its value, and the true next observation is there to compute it from.
        """
        shape = (self.env.num_envs, self.steps)
        ob, ac = self.last_obs.shape[1:], (self.env.action_space.shape or ())[1:]
        # Images stay bytes: as float32 they would take four times the memory.
        kind = np.uint8 if self.last_obs.dtype == np.uint8 else np.float32
        parts = ((ob, kind), (ac, np.float32), ((), np.float32), (ob, kind), ((), np.float32))
        columns = [np.empty((*shape, *part), dtype) for part, dtype in parts]
        obs, acs, rewards, next_obs, terminals = columns
        cuts = np.empty(shape, bool)
        for t in range(self.steps):
            obs[:, t] = self.last_obs
            acs[:, t] = actions = self.actor.get_action(self.last_obs)
            reward, next_ob, self.last_obs, terminals[:, t], cuts[:, t] = self.env.step(actions)
            rewards[:, t], next_obs[:, t] = reward, next_ob
        cuts[:, -1] = True
        path_ends_n = (cuts | (terminals > 0)).ravel()
        ob_no, ac_na, re_n, next_ob_no, terminal_n = (c.reshape(-1, *c.shape[2:]) for c in columns)
        return PathBatch(ob_no, ac_na, re_n, next_ob_no, terminal_n, path_ends_n)


def fetched(
    columns: Sequence[torch.Tensor], rows_of_each: Iterable[torch.Tensor]
) -> Iterator[tuple[torch.Tensor, ...]]:
    """Yields minibatches, the given rows of all columns; `AT_ONCE` of them come by one call."""
    rows_left = iter(rows_of_each)
    while several := [torch.as_tensor(rows) for rows in itertools.islice(rows_left, AT_ONCE)]:
        rows, sizes = torch.cat(several), [len(rows) for rows in several]
        yield from zip(*(column[rows].split(sizes) for column in columns), strict=True)

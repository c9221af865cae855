"""What PPO and TRPO share, none of it an equation: flags, environments, and segments of play."""

from __future__ import annotations

import dataclasses
import functools
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from cs285.infrastructure import envs
from cs285.infrastructure.config import LayerConfig, UserError, flag, open_run, parse_config
from cs285.infrastructure.state import Stateful

if TYPE_CHECKING:  # scripts read flags before they import what takes seconds
    import gymnasium as gym

    from cs285.infrastructure.agent import Agent
    from cs285.infrastructure.rollouts import Policy

Batch = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]
ConfigT = TypeVar("ConfigT", bound="SegmentConfig")


@dataclasses.dataclass(frozen=True)
class SegmentConfig(LayerConfig):
    """The flags that both scripts have; the defaults are those of Stable-Baselines3."""

    env_name: str = flag("CartPole-v1", "id of a Gymnasium environment")
    n_iter: int = flag(50, "iterations: collect a batch, learn from it", "-n", positive=True)
    ep_len: int = flag(None, "longest episode, in steps; default: the task's own", positive=True)
    batch_size: int = flag(2048, "environment steps per iteration", "-b", positive=True)
    num_envs: int = flag(1, "environments side by side, which share those steps", positive=True)
    eval_batch_size: int = flag(1000, "environment steps per evaluation", "-eb", positive=True)
    minibatch_size: int = flag(64, "transitions of a gradient step", "-mb", positive=True)
    num_epochs: int = flag(10, "passes over each batch, at most", positive=True)
    discount: float = flag(0.99, "gamma, per step", low=0.0, high=1.0)
    gae_lambda: float = flag(0.95, "lambda of GAE", low=0.0, high=1.0)
    normalize_observations: bool = flag(
        False, "scale observations by the mean and variance of all so far"
    )
    scalar_log_freq: int = flag(1, "iterations from one row of the log to the next")
    eval_freq: int = flag(None, "iterations between evaluations; default: with each row")
    video_log_freq: int = flag(-1, "iterations from one video to the next; -1: never")


def resolve(config: ConfigT) -> ConfigT:
    """Fills in what depends on other flags, and checks what flags alone can't."""
    if config.minibatch_size > config.batch_size:
        raise UserError(
            f"-mb {config.minibatch_size} is more than -b {config.batch_size} holds: "
            "give a smaller minibatch or a larger batch"
        )
    if config.batch_size % config.num_envs:
        raise UserError(
            f"-b {config.batch_size} can't be shared equally by --num_envs {config.num_envs}: "
            "give a multiple"
        )
    sizes = config.hidden_sizes()
    if config.hidden is None:
        config = dataclasses.replace(config, n_layers=len(sizes), size=sizes[0])
    return dataclasses.replace(
        config,
        eval_freq=config.scalar_log_freq if config.eval_freq is None else config.eval_freq,
        threads=config.threads or 1,  # networks of 64 units are too small to share between cores
    )


def make_env(config: SegmentConfig, render: str | None = None) -> gym.Env[Any, Any]:
    """Makes the task; raises UserError if these agents can't act there."""
    from gymnasium.spaces import Box, Discrete
    from gymnasium.wrappers import ClipAction

    rule: Any = {"discount": config.discount, "time_limit": config.time_limit, "render": render}
    env = envs.make_env(config.env_name, ep_len=config.ep_len, **rule)
    space = env.action_space
    if isinstance(space, Box) and len(space.shape) == 1:
        return ClipAction(env)  # a Gaussian knows no bounds; the task sees the nearest action
    if not isinstance(space, Discrete):
        raise UserError(f"{config.env_name}: actions are choices or vectors here, not {space}")
    return env


def dims(env: gym.Env[Any, Any]) -> dict[str, Any]:
    """Returns what an agent's settings tell of a task: ob_dim, ac_dim, discrete."""
    from gymnasium.spaces import Discrete, flatdim

    return {
        "ob_dim": flatdim(env.observation_space),
        "ac_dim": flatdim(env.action_space),  # the number of discrete actions, too
        "discrete": isinstance(env.action_space, Discrete),
    }


def launch(
    script: str,
    config_class: type[ConfigT],
    argv: Sequence[str],
    description: str | None,
    new_agent: Callable[[SideBySide, ConfigT, Mapping[str, Any]], Agent],
) -> int:
    """Trains, or goes on training, as a command line says; returns the exit status.

    Args:
        script: The script's name.
        config_class: Its flags.
        argv: The words after its name.
        description: The first lines of `--help`.
        new_agent: Builds the agent, from environments, flags, and what `dims` returns.
    """
    given, explicit = parse_config(config_class, argv, description or "")
    with open_run(script, given, explicit, resolve) as (config, run_dir):
        eval_env = make_env(config, "rgb_array" if config.video_log_freq > 0 else None)
        env = SideBySide(functools.partial(make_env, config), config.num_envs)
        from cs285.infrastructure.rl_trainer import RL_Trainer, set_up, train

        set_up(config, env, eval_env)
        params = dataclasses.asdict(config) | {
            "ep_len": config.ep_len or sys.maxsize,  # evaluation plays whole episodes
            "video_len": config.ep_len or 1000,
            "steps_per_itr": config.batch_size,
            "train_batch_size": config.batch_size,
            "num_agent_train_steps_per_iter": 1,
        }
        agent = new_agent(env, config, dims(eval_env))
        trainer = RL_Trainer(params, agent, env, eval_env, run_dir)
        return train(trainer, config.n_iter, resume=config.resume is not None)


class SideBySide:
    """Environments that step together, each in its own time, and can be saved at any step."""

    def __init__(self, make: Callable[[], gym.Env[Any, Any]], num_envs: int) -> None:
        """Makes `num_envs` environments, as one of Gymnasium's vector environments."""
        from gymnasium.vector import AutoresetMode, SyncVectorEnv

        # Disabled, for where an episode ends one wants both: its last observation, and the next.
        # No copy, for what is wanted of an observation is copied out of it before the next step.
        self.vector = SyncVectorEnv(
            [make] * num_envs, copy=False, autoreset_mode=AutoresetMode.DISABLED
        )
        self.num_envs, self.spec = num_envs, self.vector.envs[0].spec
        self.action_space = self.vector.action_space
        self.return_queue: deque[float] = deque(maxlen=100)
        self.length_queue: deque[int] = deque(maxlen=100)
        self.episode_count = 0

    def reset(self, seed: int | None = None) -> np.ndarray:
        """Begins an episode in each; with a seed, the first of that seed. Shape (num_envs, ob)."""
        # The seed after this one is the evaluation's.
        seeds = None if seed is None else [seed + 1000 * i for i in range(self.num_envs)]
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
        next_obs, rewards, terminated, truncated, _ = self.vector.step(actions)
        ended = terminated | truncated
        if not ended.any():
            return rewards, next_obs, next_obs, terminated, truncated
        next_obs = next_obs.copy()
        begun, _ = self.vector.reset(options={"reset_mask": ended})
        obs = np.where(ended[:, None], begun, next_obs)
        for i in np.flatnonzero(ended):
            one = envs.episode_statistics(self.vector.envs[i])
            self.return_queue.append(one.return_queue[-1])
            self.length_queue.append(one.length_queue[-1])
            self.episode_count += 1
        return rewards, next_obs, obs, terminated, truncated

    def state_dict(self) -> dict[str, Any]:
        """Returns a state tree from which `load_state_dict` continues exactly."""
        return {
            "envs": [envs.resumable(one).state_dict() for one in self.vector.envs],
            "statistics": [list(self.return_queue), list(self.length_queue), self.episode_count],
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Brings freshly made environments to where `state_dict` was called."""
        self.reset()
        for one, its in zip(self.vector.envs, state["envs"], strict=True):
            envs.resumable(one).load_state_dict(its)
        returns, lengths, self.episode_count = state["statistics"]
        self.return_queue.extend(returns)
        self.length_queue.extend(lengths)


class Collector(Stateful):
    """Plays segments of a fixed length; an episode may go on from one segment into the next."""

    kept = ("last_obs",)  # a batch that was learned from is stale

    def __init__(self, env: SideBySide, actor: Policy, batch_size: int) -> None:
        """Begins the first episodes; `batch_size` steps are a batch, in all together."""
        self.env, self.actor = env, actor
        self.steps = batch_size // env.num_envs
        self.last_obs = env.reset()
        self.batch: Batch | None = None
        self.path_ends_n = np.zeros(0, bool)
        """Beside the batch: true at the last step of each path. Shape (n,), bool."""

    def collect(self) -> None:
        """Plays one segment in each environment, and keeps their transitions as `batch`.

        One environment's steps stand behind those of another. A path ends where its episode does,
        and at the end of the segment. There, and where a time limit cuts, it is not terminal: the
        last state keeps its value, and the true next observation is there to compute it from.
        """
        shape = (self.env.num_envs, self.steps)
        ob, ac = self.last_obs.shape[1:], (self.env.action_space.shape or ())[1:]
        columns = [np.empty((*shape, *part), np.float32) for part in (ob, ac, (), ob, ())]
        obs, acs, rewards, next_obs, terminals = columns
        ends = np.zeros(shape, bool)
        for t in range(self.steps):
            obs[:, t], acs[:, t] = self.last_obs, (actions := self.actor.get_action(self.last_obs))
            rewards[:, t], next_obs[:, t], self.last_obs, terminated, truncated = self.env.step(
                actions
            )
            terminals[:, t], ends[:, t] = terminated, terminated | truncated
        ends[:, -1] = True
        ob_no, ac_na, re_n, next_ob_no, terminal_n = (c.reshape(-1, *c.shape[2:]) for c in columns)
        self.batch, self.path_ends_n = (ob_no, ac_na, re_n, next_ob_no, terminal_n), ends.ravel()

    def sample(self, batch_size: int) -> Batch:
        """Returns the latest segments; raises ValueError if they aren't `batch_size` steps long."""
        if self.batch is None or len(self.batch[2]) != batch_size:
            raise ValueError(f"wanted {batch_size} transitions, {len(self.path_ends_n)} are there")
        return self.batch

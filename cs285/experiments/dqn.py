"""Homework 3, part 1: DQN and double DQN on Atari games, other images, and vectors."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from cs285.configs.dqn import PRESETS, DQNConfig
from cs285.experiments import own_networks
from cs285.experiments.launch import launch, set_up
from cs285.experiments.limits import (
    chance_of_repeats,
    check_memory,
    check_repeats,
    count_episodes,
    path_lengths,
)
from cs285.infrastructure.base.config import cli, config_from_dict
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.base.schedules import PiecewiseSchedule

if TYPE_CHECKING:  # torch takes seconds to import: flags are read first, so that typos answer
    import torch

    from cs285.agents.dqn_agent import DQNAgent
    from cs285.infrastructure.rl_trainer import RL_Trainer

SCRIPT = "run_hw3_dqn"


def resolve(config: DQNConfig) -> DQNConfig:
    """Fills in the preset's value wherever no flag was given, and checks what flags alone can't."""
    from cs285.infrastructure.environments import envs

    check_repeats(config)
    if config.tau is not None and config.target_update_freq is None:
        config = dataclasses.replace(config, target_update_freq=1)
    images = "images" if envs.shows_images(config.env_name, config.env_kwargs) else "other"
    values = PRESETS["atari" if envs.is_atari(config.env_name) else images]
    values = values | {"tau": 1.0, "threads": 1, "sticky_actions": chance_of_repeats(config)}
    sizes = config.hidden_sizes()
    if config.hidden is None:
        values |= {"n_layers": len(sizes), "size": sizes[0]}
    missing = {name: v for name, v in values.items() if getattr(config, name) is None}
    config = dataclasses.replace(config, **missing)
    for name in ("learning_rate", "exploration"):
        text = getattr(config, name)
        try:
            points = PiecewiseSchedule.parse(text).values
        except ValueError:
            points = []
        if not points or max(points) > 1 or (name == "learning_rate" and min(points) == 0):
            raise UserError(
                f"--{name} takes a number from 0 to 1, or time:value,... with rising times, "
                f"not {text!r}"
            )
    if config.buffer_size < config.batch_size + config.frame_history_len:
        raise UserError(
            f"--buffer_size {config.buffer_size} never holds a batch of --batch_size "
            f"{config.batch_size}: give a larger buffer or a smaller batch"
        )
    return count_episodes(config, config.max_episode_steps)


def make_env(config: DQNConfig, training: bool, render: str | None = None) -> Any:
    """Makes the environment to learn in, or one whose episodes are whole and scores unclipped.

    The latter stacks frames: a policy has no memory. In learning, the replay buffer does that.

    Raises:
        UserError: If there is no such environment, or DQN cannot act in it.
    """
    from cs285.infrastructure.environments import atari, envs, spaces

    frames = 1 if training else config.frame_history_len
    rule: Any = {"discount": config.discount, "time_limit": config.time_limit, "render": render}
    rule |= {"ep_len": config.max_episode_steps, "kwargs": config.env_kwargs}
    if envs.is_atari(config.env_name):
        rule |= {"training": training, **config.of_game()}
        env = atari.make_env(config.env_name, frames=frames, **rule)
    else:
        env = envs.make_env(config.env_name, images=frames, frames=frames, **rule)
    spaces.require_discrete(env, config.env_name)
    return env


def bytes_of_memory(env: Any, config: DQNConfig) -> float:
    """Returns the bytes that the replay buffer takes, of images at least."""
    from cs285.infrastructure.replay.replay_buffer import bytes_needed

    space = env.observation_space
    return bytes_needed(config.buffer_size, space.shape, space.dtype)


def stacked(env: Any, history: int) -> Any:
    """Returns the spaces of an environment as its agent knows them: observations in a row."""
    from gymnasium.spaces import Box

    one = env.observation_space
    if history == 1:
        return env
    low, high = (np.stack([bound] * history) for bound in (one.low, one.high))
    space = Box(low, high, dtype=one.dtype)
    return SimpleNamespace(observation_space=space, action_space=env.action_space)


def new_agent(env: Any, config: DQNConfig) -> DQNAgent:
    """Builds the agent."""
    from cs285.agents.dqn_agent import DQNAgent

    spaces = stacked(env, config.frame_history_len)
    return DQNAgent(env, config, own_networks.asked_for(config, spaces, "q"))


def load_policy(
    settings: Mapping[str, Any], weights: Mapping[str, torch.Tensor], render: str | None
) -> tuple[Any, Any]:
    """Returns the environment and the policy of a run's evaluations, from its config.json."""
    from cs285.critics.dqn_critic import DQNCritic
    from cs285.infrastructure.training.agent import EpsilonGreedyPolicy
    from cs285.policies.argmax_policy import ArgMaxPolicy

    config = config_from_dict(DQNConfig, settings, fill_in=True)
    env = make_env(config, training=False, render=render)
    own = own_networks.asked_for(config, env, "q")
    critic = DQNCritic(env.observation_space.shape, int(env.action_space.n), config, own)
    critic.q_net.load_state_dict(weights)
    policy = EpsilonGreedyPolicy(ArgMaxPolicy(critic), config.eval_epsilon or 0.0, critic.ac_dim)
    return env, policy  # older runs have no eval_epsilon


def build(config: DQNConfig, run_dir: Path) -> RL_Trainer:
    """Builds environments, agent and trainer of a run that writes into `run_dir`."""
    task = make_env(config, training=True)  # what is wrong is told before torch is imported
    eval_env = make_env(config, False, "rgb_array" if config.video_log_freq > 0 else None)
    check_memory(bytes_of_memory(task, config), f"--buffer_size {config.buffer_size}")
    from cs285.infrastructure.environments.scaled_rewards import scaled
    from cs285.infrastructure.rl_trainer import RL_Trainer

    env = scaled(task, config.reward_scale)
    set_up(config, env, eval_env)
    params = dataclasses.asdict(config) | {
        **path_lengths(config, config.max_episode_steps),
        "n_iter": config.num_timesteps,
        "train_batch_size": config.batch_size,
    }
    return RL_Trainer(params, new_agent(env, config), env, eval_env, run_dir)


CONFIG = DQNConfig


@cli
def main(argv: Sequence[str]) -> int:
    """Trains, or resumes a training, as a command line says; returns the exit status."""
    return launch(SCRIPT, CONFIG, argv, __doc__, resolve, build)

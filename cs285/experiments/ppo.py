"""Homework 5, part 1: PPO, with discrete or continuous actions, from vectors or images."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cs285.configs.ppo import PPOConfig
from cs285.experiments import own_networks, segments
from cs285.experiments.launch import launch
from cs285.experiments.limits import chance_of_repeats
from cs285.infrastructure.base.config import cli, config_from_dict
from cs285.infrastructure.base.errors import UserError

if TYPE_CHECKING:  # torch takes seconds to import: flags are read first, so that typos answer
    import gymnasium as gym
    import torch

    from cs285.agents.ppo_agent import PPOAgent
    from cs285.infrastructure.rl_trainer import RL_Trainer
    from cs285.infrastructure.training.rollout_collector import VectorEnv


SCRIPT = "run_hw5_ppo"
FRAMES = 4  # in an observation of an image task: one alone does not show where things move


def resolve(config: PPOConfig) -> PPOConfig:
    """Fills in what depends on other flags, and checks what flags alone can't."""
    from cs285.infrastructure.environments import envs

    if config.minibatch_size == 1:
        raise UserError(
            "-mb 1: an advantage minus the mean of its minibatch is 0, and nothing is learned: "
            "give 2 or more"
        )
    if config.anneal and (config.actor_learning_rate or config.critic_learning_rate):
        raise UserError("--anneal lets one step size fall, that of -lr: leave --pi_lr, --vf_lr out")
    config = dataclasses.replace(config, sticky_actions=chance_of_repeats(config))
    resolved = segments.resolve(config)
    images = envs.shows_images(config.env_name, config.env_kwargs)
    if config.normalize_observations and images:
        raise UserError("--normalize_observations scales vectors; bytes of images are scaled as is")
    return resolved


def make_env(
    config: PPOConfig, render: str | None = None, training: bool = False
) -> gym.Env[Any, Any]:
    """Makes the task; the newest frames of an image task are stacked.

    Args:
        config: Its settings.
        render: As `envs.make_env` has it.
        training: Whether a lost life of an Atari game ends the episode, and rewards are clipped.
    """
    from cs285.infrastructure.environments import atari, envs

    if not envs.is_atari(config.env_name):
        return segments.make_env(config, render, images=FRAMES)
    return atari.make_env(
        config.env_name,
        ep_len=config.ep_len,
        discount=config.discount,
        time_limit=config.time_limit,
        training=training,
        frames=FRAMES,
        render=render,
        kwargs=config.env_kwargs,
        **config.of_game(),
    )


def new_agent(env: VectorEnv, config: PPOConfig, own: Any) -> PPOAgent:
    """Builds the agent; `own` are networks of one's own, if there are any."""
    from cs285.agents.ppo_agent import PPOAgent

    return PPOAgent(env, config, own)


def load_policy(
    settings: Mapping[str, Any], weights: Mapping[str, torch.Tensor], render: str | None
) -> tuple[Any, Any]:
    """Returns the environment and the deterministic policy of a run, from its config.json."""
    from cs285.agents.segment_agent import build_networks
    from cs285.infrastructure.training.agent import DeterministicPolicy

    config = config_from_dict(PPOConfig, settings, fill_in=True)
    env = make_env(config, render)
    own = own_networks.asked_for(config, env, "pi", "v")
    policy, _, _ = build_networks((env.observation_space, env.action_space), config, own)
    policy.load_state_dict(weights)
    return env, DeterministicPolicy(policy)


def build(config: PPOConfig, run_dir: Path) -> RL_Trainer:
    """Builds environments, agent and trainer of a run that writes into `run_dir`."""
    make_training = functools.partial(make_env, training=True)
    return segments.build(config, run_dir, new_agent, make_training, make_env)


CONFIG = PPOConfig


@cli
def main(argv: Sequence[str]) -> int:
    """Trains, or resumes a training, as a command line says; returns the exit status."""
    return launch(SCRIPT, CONFIG, argv, __doc__, resolve, build)

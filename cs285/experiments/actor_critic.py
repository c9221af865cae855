"""Homework 3, part 2: actor-critic with a bootstrapped critic, discrete or continuous actions."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cs285.configs.actor_critic import ACConfig
from cs285.experiments import own_networks
from cs285.experiments.launch import launch, set_up
from cs285.experiments.limits import count_episodes, path_lengths
from cs285.infrastructure.base.config import cli, config_from_dict
from cs285.infrastructure.base.errors import UserError

if TYPE_CHECKING:  # torch takes seconds to import: flags are read first, so that typos answer
    import gymnasium as gym
    import torch

    from cs285.infrastructure.rl_trainer import RL_Trainer

SCRIPT = "run_hw3_actor_critic"


def resolve(config: ACConfig) -> ACConfig:
    """Fills in what depends on other flags, and checks what flags alone can't."""
    if config.train_batch_size not in (None, config.batch_size):
        raise UserError(
            f"-tb {config.train_batch_size} differs from -b {config.batch_size}: "
            "on-policy learning uses the whole batch, so leave -tb out"
        )
    sizes = config.hidden_sizes()
    if config.hidden is None:
        config = dataclasses.replace(config, n_layers=len(sizes), size=sizes[0])
    return dataclasses.replace(
        count_episodes(config, config.ep_len),
        train_batch_size=config.batch_size,
        eval_freq=config.scalar_log_freq if config.eval_freq is None else config.eval_freq,
        threads=config.threads or 1,  # networks of 64 units are too small to share between cores
    )


def make_env(config: ACConfig, render: str | None = None) -> gym.Env[Any, Any]:
    """Makes the task."""
    from cs285.infrastructure.environments import envs

    rule: Any = {"discount": config.discount, "time_limit": config.time_limit, "render": render}
    rule |= {"ep_len": config.ep_len, "kwargs": config.env_kwargs}
    return envs.make_env(config.env_name, **rule)


def load_policy(
    settings: Mapping[str, Any], weights: Mapping[str, torch.Tensor], render: str | None
) -> tuple[Any, Any]:
    """Returns the environment and the policy of a run, from its config.json."""
    from cs285.infrastructure import rollouts
    from cs285.policies.MLP_policy import MLPPolicyAC

    config = config_from_dict(ACConfig, settings, fill_in=True)
    env = make_env(config, render)
    ob_dim, ac_dim, discrete = rollouts.sizes(env.observation_space, env.action_space)
    sizes = config.hidden_sizes()
    policy = MLPPolicyAC(ac_dim, ob_dim, len(sizes), sizes, discrete, activation=config.activation)
    if own := own_networks.asked_for(config, env, "pi", "v"):
        own.install(policy)
    policy.load_state_dict(weights)
    return env, policy


def build(config: ACConfig, run_dir: Path) -> RL_Trainer:
    """Builds environments, agent and trainer of a run that writes into `run_dir`."""
    env = make_env(config)  # what is wrong with it is reported before torch is imported
    eval_env = make_env(config, "rgb_array" if config.video_log_freq > 0 else None)
    from cs285.agents.ac_agent import ACAgent
    from cs285.infrastructure.rl_trainer import RL_Trainer

    set_up(config, env, eval_env)
    params = dataclasses.asdict(config) | path_lengths(config, config.ep_len)
    agent = ACAgent(env, config, own_networks.asked_for(config, env, "pi", "v"))
    return RL_Trainer(params, agent, env, eval_env, run_dir)


CONFIG = ACConfig


@cli
def main(argv: Sequence[str]) -> int:
    """Trains, or resumes a training, as a command line says; returns the exit status."""
    return launch(SCRIPT, CONFIG, argv, __doc__, resolve, build)

"""Homework 2: policy gradient, with reward-to-go, a learned baseline and GAE."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cs285.configs.vpg import PGConfig
from cs285.experiments import own_networks
from cs285.experiments.launch import launch, set_up
from cs285.experiments.limits import count_episodes, path_lengths
from cs285.infrastructure.base.config import cli, config_from_dict
from cs285.infrastructure.base.errors import UserError

if TYPE_CHECKING:  # torch takes seconds to import: flags are read first, so that typos answer
    import gymnasium as gym

    from cs285.agents.pg_agent import PGAgent
    from cs285.infrastructure.rl_trainer import RL_Trainer
    from cs285.policies.pg_policy import MLPPolicyPG

SCRIPT = "run_hw2"


def resolve(config: PGConfig) -> PGConfig:
    """Translates the newer dialect into the older, and checks what flags alone can't."""
    older = config.dont_standardize_advantages or config.nn_baseline
    newer = config.normalize_advantages or config.use_baseline
    if older and newer:
        raise UserError(
            "-dsa and --nn_baseline are the course's flags until 2022, -na and --use_baseline "
            "those since 2023, and they standardise by opposite rules: give those of one time only"
        )
    if config.gae_lambda is not None and not (config.nn_baseline or config.use_baseline):
        raise UserError(
            f"--gae_lambda {config.gae_lambda:g} weighs what a baseline predicts: "
            "add --nn_baseline, or leave --gae_lambda out"
        )
    if config.gae_lambda is not None and not config.reward_to_go:
        raise UserError(
            f"--gae_lambda {config.gae_lambda:g} adds up values of states, and without -rtg the "
            "baseline learns whole returns: add -rtg, or leave --gae_lambda out"
        )
    sizes = config.hidden_sizes()
    if config.hidden is None:
        config = dataclasses.replace(config, n_layers=len(sizes), size=sizes[0])
    return dataclasses.replace(
        count_episodes(config, config.ep_len),
        nn_baseline=config.nn_baseline or config.use_baseline,
        dont_standardize_advantages=(
            not config.normalize_advantages if newer else config.dont_standardize_advantages
        ),
        eval_freq=config.scalar_log_freq if config.eval_freq is None else config.eval_freq,
        threads=config.threads or 1,  # networks of 64 units are too small to share between cores
    )


def make_env(config: PGConfig, render: str | None = None) -> gym.Env[Any, Any]:
    """Makes the task, its noise included; raises UserError if policy gradient cannot act there."""
    from gymnasium.spaces import Discrete
    from gymnasium.wrappers import TransformAction

    from cs285.infrastructure.environments import envs

    rule: Any = {"discount": config.discount, "time_limit": config.time_limit, "render": render}
    rule |= {"ep_len": config.ep_len, "kwargs": config.env_kwargs}
    env = envs.make_env(config.env_name, **rule)
    space = env.action_space
    if config.action_noise_std == 0.0:
        return env
    if isinstance(space, Discrete):
        raise UserError(f"--action_noise_std: the actions of {config.env_name} are not continuous")
    # The task gets the noisy action, or the nearest one within its bounds. The generator is the
    # space's own, since that is saved with the environment.
    return TransformAction(
        env,
        lambda ac: ac + config.action_noise_std * space.np_random.standard_normal(ac.shape),
        space,
    )


def new_agent(env: gym.Env[Any, Any], config: PGConfig) -> PGAgent:
    """Builds the agent."""
    from cs285.agents.pg_agent import PGAgent

    parts = ("pi", "v") if config.nn_baseline else ("pi",)
    return PGAgent(env, config, own_networks.asked_for(config, env, *parts))


def load_policy(
    settings: dict[str, Any], weights: dict[str, Any], render: str | None
) -> tuple[gym.Env[Any, Any], MLPPolicyPG]:
    """Returns the environment and the policy of a run, from its config.json and its weights."""
    config = config_from_dict(PGConfig, settings, fill_in=True)
    env = make_env(config, render)
    policy = new_agent(env, config).actor
    policy.load_state_dict(weights)
    return env, policy


def build(config: PGConfig, run_dir: Path) -> RL_Trainer:
    """Builds environments, agent and trainer of a run that writes into `run_dir`."""
    env = make_env(config)  # what is wrong with it is told before torch is imported
    eval_env = make_env(config, "rgb_array" if config.video_log_freq > 0 else None)
    from cs285.infrastructure.rl_trainer import RL_Trainer

    set_up(config, env, eval_env)
    params = dataclasses.asdict(config) | {
        **path_lengths(config, config.ep_len),
        "train_batch_size": config.batch_size,
        "num_agent_train_steps_per_iter": 1,
    }
    return RL_Trainer(params, new_agent(env, config), env, eval_env, run_dir)


CONFIG = PGConfig


@cli
def main(argv: Sequence[str]) -> int:
    """Trains, or resumes a training, as a command line says; returns the exit status."""
    return launch(SCRIPT, CONFIG, argv, __doc__, resolve, build)

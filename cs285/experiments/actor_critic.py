"""Homework 3, part 2: actor-critic with a bootstrapped critic, discrete or continuous actions."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cs285.experiments import own_networks
from cs285.experiments.launch import launch, set_up
from cs285.experiments.limits import count_episodes, path_lengths
from cs285.infrastructure.base.config import cli, config_from_dict
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.base.settings import OwnNetworkFlags, RunConfig, Whole, flag

if TYPE_CHECKING:  # torch takes seconds to import: flags are read first, so that typos answer
    import gymnasium as gym
    import torch

    from cs285.agents.ac_agent import ACSettings
    from cs285.infrastructure.rl_trainer import RL_Trainer

SCRIPT = "run_hw3_actor_critic"


@dataclasses.dataclass(frozen=True)
class ACConfig(OwnNetworkFlags, RunConfig):
    """The flags of this script."""

    env_name: str = flag("CartPole-v0", "id of a Gymnasium environment, or module:id of your own")
    exp_name: str = flag("actor_critic", "name of the experiment, part of the run folder's name")
    n_iter: int = flag(200, "iterations: collect a batch, learn from it", "-n", positive=True)
    ep_len: int = flag(
        200,
        "longest episode in training and evaluation, in environment steps",
        "--max_episode_steps",
        "--max_ep_len",
        positive=True,
    )
    batch_size: int = flag(
        1000, "environment steps per iteration, at least", "-b", "--horizon_len", positive=True
    )
    train_batch_size: int = flag(
        None, "transitions learned from; all of an iteration's: equal to -b", "-tb", positive=True
    )
    num_agent_train_steps_per_iter: int = flag(
        1, "calls of train per iteration", Whole("--repeat_times"), positive=True
    )
    num_critic_updates_per_agent_update: int = flag(1, "critic updates per train", positive=True)
    num_actor_updates_per_agent_update: int = flag(1, "actor updates per train", positive=True)
    discount: float = flag(1.0, "gamma, per step", low=0.0, high=1.0)
    learning_rate: float = flag(5e-3, "Adam's step size, for both networks", "-lr", positive=True)
    actor_learning_rate: float = flag(
        None, "that of the actor; default: as --learning_rate", "--pi_lr", positive=True
    )
    critic_learning_rate: float = flag(
        None, "that of the critic; default: as --learning_rate", "--vf_lr", positive=True
    )
    dont_standardize_advantages: bool = flag(False, "use advantages as they are", "-dsa")
    num_target_updates: int = flag(
        10, "times the critic's targets are computed", "-ntu", positive=True
    )
    num_grad_steps_per_target_update: int = flag(
        10, "gradient steps on each set of targets", "-ngsptu", positive=True
    )
    n_layers: int = flag(2, "hidden layers of both networks", "-l", positive=True)
    size: int = flag(64, "units of each hidden layer", "-s", positive=True)
    scalar_log_freq: int = flag(10, "iterations from one row of the log to the next")
    eval_freq: int = flag(None, "iterations between evaluations; default: with each row")
    video_log_freq: int = flag(-1, "iterations from one video to the next; -1: never")


def resolve(config: ACConfig) -> ACConfig:
    """Fills in what depends on other flags, and checks what flags alone can't."""
    if config.train_batch_size not in (None, config.batch_size):
        raise UserError(
            f"-tb {config.train_batch_size} differs from -b {config.batch_size}: "
            "on-policy learning uses the whole batch, so leave -tb out"
        )
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


def agent_settings(env: gym.Env[Any, Any], config: ACConfig) -> ACSettings:
    """Returns what `ACAgent` reads."""
    from cs285.agents.ac_agent import ACSettings
    from cs285.infrastructure.environments import envs

    return ACSettings.of(
        config,
        **envs.dims(env),
        gamma=config.discount,
        standardize_advantages=not config.dont_standardize_advantages,
        networks=own_networks.asked_for(config, env, "pi", "v"),
    )


def load_policy(
    settings: Mapping[str, Any], weights: Mapping[str, torch.Tensor], render: str | None
) -> tuple[Any, Any]:
    """Returns the environment and the policy of a run, from its config.json."""
    from cs285.policies.MLP_policy import MLPPolicyAC

    config = config_from_dict(ACConfig, settings, fill_in=True)
    env = make_env(config, render)
    read = agent_settings(env, config)
    policy = MLPPolicyAC(read.ac_dim, read.ob_dim, read.n_layers, read.size, read.discrete)
    if read.networks:
        read.networks.install(policy)
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
    agent = ACAgent(env, agent_settings(env, config))
    for part, rate in (
        (agent.actor, config.actor_learning_rate),
        (agent.critic, config.critic_learning_rate),
    ):
        part.optimizer.param_groups[0]["lr"] = rate or config.learning_rate
    agent.replay_buffer.reward_scale = config.reward_scale
    return RL_Trainer(params, agent, env, eval_env, run_dir)


CONFIG = ACConfig


@cli
def main(argv: Sequence[str]) -> int:
    """Trains, or resumes a training, as a command line says; returns the exit status."""
    return launch(SCRIPT, CONFIG, argv, __doc__, resolve, build)

"""What PPO and TRPO share, none of it an equation: flags, environments, and segments of play."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from cs285.configs.segments import SegmentConfig
from cs285.experiments import own_networks
from cs285.experiments.launch import set_up
from cs285.experiments.limits import count_episodes, path_lengths
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.environments import envs

if TYPE_CHECKING:  # scripts read flags before they import what takes seconds
    import gymnasium as gym

    from cs285.infrastructure.rl_trainer import RL_Trainer
    from cs285.infrastructure.training.agent import Agent
    from cs285.infrastructure.training.rollout_collector import VectorEnv

ConfigT = TypeVar("ConfigT", bound="SegmentConfig")


def resolve(config: ConfigT) -> ConfigT:
    """Fills in what depends on other flags, and checks what flags alone can't."""
    if config.minibatch_size > config.batch_size:
        raise UserError(
            f"-mb {config.minibatch_size} is more than -b {config.batch_size} holds: "
            "give a smaller minibatch or a larger batch"
        )
    if config.batch_size == 1:
        raise UserError(
            "-b 1: an advantage minus the mean of its batch is 0, and nothing is learned: "
            "give 2 or more"
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
        count_episodes(config, config.ep_len),
        eval_freq=config.scalar_log_freq if config.eval_freq is None else config.eval_freq,
        threads=config.threads or 1,  # networks of 64 units are too small to share between cores
    )


def make_env(config: SegmentConfig, render: str | None = None, **shown: Any) -> gym.Env[Any, Any]:
    """Makes the task; raises UserError if these agents can't act there.

    Args:
        config: Its settings.
        render: As `envs.make_env` has it.
        shown: How many frames of images are stacked, if there may be any: see `envs.make_env`.
    """
    rule: Any = {"discount": config.discount, "time_limit": config.time_limit, "render": render}
    rule |= {"ep_len": config.ep_len, "kwargs": config.env_kwargs}
    return envs.make_env(config.env_name, **rule, **shown)


def build(
    config: ConfigT,
    run_dir: Path,
    new_agent: Callable[[VectorEnv, ConfigT, Any], Agent],
    make_training: Callable[..., gym.Env[Any, Any]] = make_env,
    make_evaluation: Callable[..., gym.Env[Any, Any]] = make_env,
) -> RL_Trainer:
    """Builds environments, agent and trainer of a run that writes into `run_dir`.

    `new_agent` builds the agent, from environments, settings, and networks of one's own. The last
    two make an environment, as `make_env` does.
    """
    eval_env = make_evaluation(config, "rgb_array" if config.video_log_freq > 0 else None)
    from cs285.infrastructure.environments.scaled_rewards import scaled
    from cs285.infrastructure.rl_trainer import RL_Trainer
    from cs285.infrastructure.training.rollout_collector import VectorEnv

    env = VectorEnv(lambda: scaled(make_training(config), config.reward_scale), config.num_envs)
    set_up(config, env, eval_env)
    params = dataclasses.asdict(config) | {
        **path_lengths(config, config.ep_len),
        "steps_per_itr": config.batch_size,
        "train_batch_size": config.batch_size,
        "num_agent_train_steps_per_iter": 1,
    }
    agent = new_agent(env, config, own_networks.asked_for(config, eval_env, "pi", "v"))
    return RL_Trainer(params, agent, env, eval_env, run_dir)

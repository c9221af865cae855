"""What the scripts of DDPG, TD3 and SAC share: flags, environments, and a run's start."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from cs285.configs.off_policy import OffPolicyConfig
from cs285.experiments import own_networks
from cs285.experiments.launch import launch, set_up
from cs285.experiments.limits import check_memory, check_repeats, count_episodes, path_lengths
from cs285.infrastructure.base.config import cli, config_from_dict
from cs285.infrastructure.base.errors import UserError

if TYPE_CHECKING:  # scripts read flags before they import what takes seconds
    import gymnasium as gym
    import torch

    from cs285.agents.off_policy_agent import OffPolicyAgent
    from cs285.infrastructure.rl_trainer import RL_Trainer
    from cs285.infrastructure.rollouts import Policy

ConfigT = TypeVar("ConfigT", bound="OffPolicyConfig")


def resolve(config: ConfigT) -> ConfigT:
    """Checks what flags alone can't."""
    check_repeats(config)
    if config.buffer_size < config.batch_size:
        raise UserError(
            f"--buffer_size {config.buffer_size} never holds a batch of --batch_size "
            f"{config.batch_size}: give a larger buffer or a smaller batch"
        )
    sizes = config.hidden_sizes()
    config = dataclasses.replace(count_episodes(config, config.ep_len), threads=config.threads or 1)
    if config.hidden is not None:
        return config
    return dataclasses.replace(config, n_layers=len(sizes), size=sizes[0])


def make_env(
    config: OffPolicyConfig, training: bool = True, render: str | None = None
) -> gym.Env[Any, Any]:
    """Makes an environment whose actions are in (-1, 1): the same in training and evaluations.

    Raises:
        UserError: If there is no such environment, or its actions are not continuous and bounded.
    """
    from cs285.infrastructure.environments import envs

    rule: Any = {"discount": config.discount, "time_limit": config.time_limit, "render": render}
    rule |= {"ep_len": config.ep_len, "kwargs": config.env_kwargs}
    return envs.make_env(config.env_name, rescale=True, **rule)


def bytes_of_memory(env: gym.Env[Any, Any], config: OffPolicyConfig) -> int:
    """Returns the bytes that the replay buffer takes."""
    from cs285.infrastructure.replay.transition_buffer import bytes_needed

    (ob_dim,), (ac_dim,) = env.observation_space.shape or (), env.action_space.shape or ()
    return bytes_needed(config.buffer_size, ob_dim, ac_dim)


def experiment(
    script: str,
    kind: type[ConfigT],
    agent_class: Callable[[], type[OffPolicyAgent]],
    description: str | None,
) -> tuple[Callable[..., Any], ...]:
    """Returns how an algorithm's runs begin: new_agent, load_policy, build, main.

    Args:
        script: Its script's name.
        kind: Its settings.
        agent_class: Imports its agent's class, when a run begins: torch takes seconds.
        description: The first lines of `--help`.
    """

    def new_agent(env: gym.Env[Any, Any], config: ConfigT) -> OffPolicyAgent:
        """Builds the agent."""
        own = own_networks.asked_for(config, env, "pi", *config.critics, outputs=config.outputs)
        return agent_class()(env, config, own)

    def load_policy(
        settings: Mapping[str, Any], weights: Mapping[str, torch.Tensor], render: str | None
    ) -> tuple[gym.Env[Any, Any], Policy]:
        """Returns the environment and the deterministic policy of a run, from its config.json."""
        config = config_from_dict(kind, {**settings, "buffer_size": 1}, fill_in=True)
        env = make_env(config, False, render)
        built = new_agent(env, config)
        built.actor.load_state_dict(weights)
        return env, built.eval_policy

    def build(config: ConfigT, run_dir: Path) -> RL_Trainer:
        """Builds environments, agent and trainer of a run that writes into `run_dir`."""
        task = make_env(config)  # what is wrong with it is told before torch is imported
        check_memory(bytes_of_memory(task, config), f"--buffer_size {config.buffer_size}")
        eval_env = make_env(config, False, "rgb_array" if config.video_log_freq > 0 else None)
        from cs285.infrastructure.environments.scaled_rewards import scaled
        from cs285.infrastructure.rl_trainer import RL_Trainer

        env = scaled(task, config.reward_scale)
        set_up(config, env, eval_env)
        params = dataclasses.asdict(config) | {
            **path_lengths(config, config.ep_len),
            "n_iter": config.num_timesteps,
            "train_batch_size": config.batch_size,
        }
        return RL_Trainer(params, new_agent(env, config), env, eval_env, run_dir)

    @cli
    def main(argv: Sequence[str]) -> int:
        """Trains, or resumes a training, as a command line says; returns the exit status."""
        return launch(script, kind, argv, description, resolve, build)

    return new_agent, load_policy, build, main

"""What the scripts of DDPG, TD3 and SAC share: flags, environments, and a run's start."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from cs285.experiments import own_networks, pace
from cs285.experiments.launch import set_up
from cs285.experiments.limits import check_memory, count_episodes, longest_episode, path_lengths
from cs285.experiments.own_networks import OwnNetworkFlags
from cs285.infrastructure.base.config import UserError, flag
from cs285.infrastructure.base.layers import LayerConfig, activation
from cs285.infrastructure.base.spelling import OneMinus

if TYPE_CHECKING:  # scripts read flags before they import what takes seconds
    import gymnasium as gym
    import torch

    from cs285.infrastructure.rl_trainer import RL_Trainer
    from cs285.infrastructure.rollouts import Policy
    from cs285.infrastructure.training.agent import Agent

UNITS = 256  # of each hidden layer, by default
ConfigT = TypeVar("ConfigT", bound="OffPolicyConfig")
AgentT = TypeVar("AgentT", bound="Agent")


@dataclasses.dataclass(frozen=True)
class OffPolicyConfig(OwnNetworkFlags, LayerConfig):
    """The flags that all three scripts have; the defaults are those of Stable-Baselines3."""

    env_name: str = flag("Pendulum-v1", "id of a Gymnasium environment, or module:id of your own")
    num_timesteps: int = flag(20_000, "environment steps of the run", positive=True)
    ep_len: int | None = longest_episode()
    batch_size: int = flag(256, "transitions per update", "-b", positive=True)
    num_agent_train_steps_per_iter: int = flag(
        1, "updates, each of its own batch, after each environment step", positive=True
    )
    horizon_len: int = flag(
        1,
        "environment steps from one time to learn to the next; then as many updates follow as "
        "steps were taken",
        "--update_every",
        positive=True,
    )
    repeat_times: float = flag(
        None,
        "updates at a time: transitions in memory, times this, over those of a batch; default: "
        "as many as steps were taken",
        positive=True,
    )
    discount: float = flag(0.99, "gamma, per step", low=0.0, high=1.0)
    learning_rate: float = flag(1e-3, "Adam's step size, for all networks", "-lr", positive=True)
    actor_learning_rate: float = flag(
        None, "that of the actor; default: as --learning_rate", "--pi_lr", positive=True
    )
    critic_learning_rate: float = flag(
        None, "that of the critics; default: as --learning_rate", "--q_lr", "--vf_lr", positive=True
    )
    tau: float = flag(
        0.005,
        "how far target networks move per update",
        OneMinus("--polyak"),
        low=0.0,
        high=1.0,
    )
    buffer_size: int = flag(1_000_000, "transitions in the replay buffer", positive=True)
    start_steps: int = flag(
        100, "environment steps of random actions at first", "--random_steps", low=0
    )
    learning_starts: int = flag(
        100, "environment steps before the first update", "--update_after", low=0
    )
    size: int | None = flag(
        None, f"units of each of them; default: {UNITS}", "-s", "--layer_size", positive=True
    )
    activation: str = activation("relu")
    scalar_log_freq: int = flag(1_000, "steps from one row of the log to the next")
    eval_freq: int = flag(5_000, "steps from one evaluation to the next; -1: never")
    video_log_freq: int = flag(-1, "steps from one video to the next; -1: never")


def resolve(config: ConfigT) -> ConfigT:
    """Checks what flags alone can't."""
    pace.check_repeats(config)
    if config.buffer_size < config.batch_size:
        raise UserError(
            f"--buffer_size {config.buffer_size} never holds a batch of --batch_size "
            f"{config.batch_size}: give a larger buffer or a smaller batch"
        )
    sizes = config.hidden_sizes(UNITS)
    config = dataclasses.replace(count_episodes(config, config.ep_len), threads=config.threads or 1)
    if config.hidden is not None:
        return config
    return dataclasses.replace(config, n_layers=len(sizes), size=sizes[0])


def make_env(
    config: OffPolicyConfig, render: str | None = None
) -> tuple[gym.Env[Any, Any], dict[str, Any]]:
    """Makes an environment whose actions are in (-1, 1).

    Returns:
        The environment, and what an agent's settings tell of it: ob_dim, ac_dim.

    Raises:
        UserError: If there is no such environment, or its actions are not continuous and bounded.
    """
    from cs285.infrastructure.environments import envs

    rule: Any = {"discount": config.discount, "time_limit": config.time_limit, "render": render}
    rule |= {"ep_len": config.ep_len, "kwargs": config.env_kwargs}
    env = envs.make_env(config.env_name, rescale=True, **rule)
    dims = envs.dims(env)
    return env, {"ob_dim": dims["ob_dim"], "ac_dim": dims["ac_dim"]}


def with_step_sizes(agent: AgentT, config: OffPolicyConfig) -> AgentT:
    """Returns the agent, with step sizes of its actor and its critics where those are given."""
    parts: Any = agent
    pace.set_step_size(parts.actor_optimizer, config.actor_learning_rate)
    pace.set_step_size(parts.critic.optimizer, config.critic_learning_rate)
    return agent


def bytes_of_memory(config: OffPolicyConfig, dims: Mapping[str, int]) -> int:
    """Returns the bytes that the replay buffer takes; `dims` are those of `make_env`."""
    from cs285.infrastructure.replay.transition_buffer import bytes_needed

    return bytes_needed(config.buffer_size, **dims)


def load_deterministic(
    config: OffPolicyConfig,
    exploration_noise: float,
    weights: Mapping[str, torch.Tensor],
    render: str | None,
) -> tuple[gym.Env[Any, Any], Policy]:
    """Returns the environment of a run, and its policy if that is a `DeterministicActor`."""
    from cs285.infrastructure.training.agent import DeterministicPolicy
    from cs285.policies.deterministic_policy import DeterministicActor

    env, dims = make_env(config, render)
    actor = DeterministicActor(
        dims["ob_dim"], dims["ac_dim"], config.hidden_sizes(), exploration_noise, config.activation
    )
    if own := own_networks.asked_for(config, env, "pi"):
        own.install(actor)
    actor.load_state_dict(weights)
    return env, DeterministicPolicy(actor)


def build(
    config: ConfigT,
    run_dir: Path,
    new_agent: Callable[[gym.Env[Any, Any], ConfigT, Mapping[str, Any]], Agent],
) -> RL_Trainer:
    """Builds environments, agent and trainer of a run that writes into `run_dir`.

    `new_agent` builds the agent, from environment, settings, and the dimensions of `make_env`.
    """
    task, dims = make_env(config)  # what is wrong with it is told before torch is imported
    check_memory(bytes_of_memory(config, dims), f"--buffer_size {config.buffer_size}")
    eval_env, _ = make_env(config, "rgb_array" if config.video_log_freq > 0 else None)
    from cs285.infrastructure.environments.scaled_rewards import scaled
    from cs285.infrastructure.rl_trainer import RL_Trainer

    env = scaled(task, config.reward_scale)
    set_up(config, env, eval_env)
    params = dataclasses.asdict(config) | {
        **path_lengths(config, config.ep_len),
        "n_iter": config.num_timesteps,
        "train_batch_size": config.batch_size,
    }
    own = new_agent(env, config, dims)
    agent = pace.by_horizon(own, config.horizon_len, config.repeat_times)
    return RL_Trainer(params, agent, env, eval_env, run_dir)

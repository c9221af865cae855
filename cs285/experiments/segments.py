"""What PPO and TRPO share, none of it an equation: flags, environments, and segments of play."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from cs285.experiments import own_networks
from cs285.experiments.launch import set_up
from cs285.experiments.limits import count_episodes, longest_episode, path_lengths
from cs285.experiments.own_networks import OwnNetworkFlags
from cs285.infrastructure.base.config import UserError, flag
from cs285.infrastructure.base.layers import LayerConfig
from cs285.infrastructure.base.spelling import Whole
from cs285.infrastructure.environments import envs

if TYPE_CHECKING:  # scripts read flags before they import what takes seconds
    import gymnasium as gym

    from cs285.infrastructure.rl_trainer import RL_Trainer
    from cs285.infrastructure.training.agent import Agent
    from cs285.infrastructure.training.rollout_collector import VectorEnv

ConfigT = TypeVar("ConfigT", bound="SegmentConfig")


@dataclasses.dataclass(frozen=True)
class SegmentConfig(OwnNetworkFlags, LayerConfig):
    """The flags that both scripts have; the defaults are those of Stable-Baselines3.

    TRPO's own defaults have the numbers of sb3-contrib too, but not their meaning: its divergence
    is the mean over an action's components, and ours is their sum.
    """

    env_name: str = flag("CartPole-v1", "id of a Gymnasium environment, or module:id of your own")
    n_iter: int = flag(50, "iterations: collect a batch, learn from it", "-n", positive=True)
    ep_len: int | None = longest_episode()
    batch_size: int = flag(
        2048, "environment steps per iteration", "-b", "--horizon_len", positive=True
    )
    num_envs: int = flag(1, "environments side by side, which share those steps", positive=True)
    minibatch_size: int = flag(64, "transitions of a gradient step", "-mb", positive=True)
    num_epochs: int = flag(
        10, "passes over each batch, at most", Whole("--repeat_times"), positive=True
    )
    discount: float = flag(0.99, "gamma, per step", low=0.0, high=1.0)
    gae_lambda: float = flag(0.95, "lambda of GAE", "--lam", low=0.0, high=1.0)
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


def of_agent(config: SegmentConfig, env: gym.Env[Any, Any]) -> dict[str, Any]:
    """Returns what an agent's settings contain besides flags: `envs.dims`, and networks."""
    return envs.dims(env) | {"networks": own_networks.asked_for(config, env, "pi", "v")}


def build(
    config: ConfigT,
    run_dir: Path,
    new_agent: Callable[[VectorEnv, ConfigT, Mapping[str, Any]], Agent],
    make_training: Callable[..., gym.Env[Any, Any]] = make_env,
    make_evaluation: Callable[..., gym.Env[Any, Any]] = make_env,
) -> RL_Trainer:
    """Builds environments, agent and trainer of a run that writes into `run_dir`.

    `new_agent` builds the agent, from environments, settings, and what `of_agent` returns. The
    last two make an environment, as `make_env` does.
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
    agent = new_agent(env, config, of_agent(config, eval_env))
    return RL_Trainer(params, agent, env, eval_env, run_dir)

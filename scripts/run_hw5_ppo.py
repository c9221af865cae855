"""Homework 5, part 1: PPO, with discrete or continuous actions."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cs285.infrastructure.config import (
    RunConfig,
    UserError,
    cli,
    config_from_dict,
    flag,
    open_run,
    parse_config,
)

if TYPE_CHECKING:  # torch takes seconds to import: flags are read first, so that typos answer
    import gymnasium as gym

    from cs285.agents.ppo_agent import PPOSettings
    from cs285.policies.MLP_policy import MLPPolicy


@dataclasses.dataclass(frozen=True)
class PPOConfig(RunConfig):
    """The flags of this script."""

    env_name: str = flag("CartPole-v1", "id of a Gymnasium environment")
    exp_name: str = flag("ppo", "name of the experiment, part of the run folder's name")
    n_iter: int = flag(50, "iterations: collect a batch, learn from it", "-n", positive=True)
    ep_len: int = flag(None, "longest episode, in steps; default: the task's own", positive=True)
    batch_size: int = flag(2048, "environment steps per iteration, at least", "-b", positive=True)
    eval_batch_size: int = flag(1000, "environment steps per evaluation", "-eb", positive=True)
    minibatch_size: int = flag(64, "transitions of a gradient step", "-mb", positive=True)
    num_epochs: int = flag(10, "passes over each batch, at most", positive=True)
    discount: float = flag(0.99, "gamma, per step", low=0.0, high=1.0)
    gae_lambda: float = flag(0.95, "lambda of GAE", low=0.0, high=1.0)
    learning_rate: float = flag(3e-4, "Adam's step size, for both networks", "-lr", positive=True)
    clip_ratio: float = flag(
        0.2, "how far a probability may move, in parts of itself, and still gain", positive=True
    )
    target_kl: float = flag(
        None, "leave a batch beyond 1.5 times this divergence, in nats", positive=True
    )
    value_coef: float = flag(0.5, "weight of the critic's loss", low=0.0)
    entropy_coef: float = flag(0.0, "weight of the entropy bonus", low=0.0)
    max_grad_norm: float = flag(0.5, "longest gradient of both networks together", positive=True)
    n_layers: int = flag(2, "hidden layers of each network", "-l", positive=True)
    size: int = flag(64, "units of each hidden layer", "-s", positive=True)
    normalize_observations: bool = flag(
        False, "scale observations by the mean and variance of all so far"
    )
    scalar_log_freq: int = flag(1, "iterations from one row of the log to the next")
    eval_freq: int = flag(None, "iterations between evaluations; default: with each row")
    video_log_freq: int = flag(-1, "iterations from one video to the next; -1: never")


def resolve(config: PPOConfig) -> PPOConfig:
    """Fills in what depends on other flags, and checks what flags alone can't."""
    if config.minibatch_size > config.batch_size:
        raise UserError(
            f"-mb {config.minibatch_size} is more than -b {config.batch_size} holds: "
            "give a smaller minibatch or a larger batch"
        )
    return dataclasses.replace(
        config,
        eval_freq=config.scalar_log_freq if config.eval_freq is None else config.eval_freq,
        threads=config.threads or 1,  # networks of 64 units are too small to share between cores
    )


def make_env(config: PPOConfig, render: str | None = None) -> gym.Env[Any, Any]:
    """Makes the task; raises UserError if PPO cannot act there."""
    from gymnasium.spaces import Box, Discrete
    from gymnasium.wrappers import ClipAction

    from cs285.infrastructure import envs

    env = envs.make_env(
        config.env_name,
        ep_len=config.ep_len,
        discount=config.discount,
        time_limit=config.time_limit,
        render=render,
    )
    space = env.action_space
    if envs.is_atari(env):
        raise UserError(
            f"{config.env_name} shows images, and PPO here takes vectors: "
            "use scripts/run_hw3_dqn.py"
        )
    if isinstance(space, Box) and len(space.shape) == 1:
        return ClipAction(env)  # a Gaussian knows no bounds; the task sees the nearest action
    if not isinstance(space, Discrete):
        raise UserError(f"{config.env_name}: actions are choices or vectors here, not {space}")
    return env


def agent_settings(env: gym.Env[Any, Any], config: PPOConfig) -> PPOSettings:
    """Returns what `PPOAgent` reads."""
    from gymnasium import spaces

    from cs285.agents.ppo_agent import PPOSettings

    return PPOSettings.of(
        config,
        ob_dim=spaces.flatdim(env.observation_space),
        ac_dim=spaces.flatdim(env.action_space),  # the number of discrete actions, too
        discrete=isinstance(env.action_space, spaces.Discrete),
        gamma=config.discount,
    )


def load_policy(
    settings: dict[str, Any], weights: dict[str, Any], render: str | None
) -> tuple[gym.Env[Any, Any], MLPPolicy]:
    """Returns the environment and the policy of a run, from its config.json and its weights."""
    from cs285.agents.ppo_agent import PPOAgent

    config = config_from_dict(PPOConfig, settings)
    env = make_env(config, render)
    policy = PPOAgent(env, agent_settings(env, config)).actor
    policy.load_state_dict(weights)
    return env, policy


@cli
def main(argv: Sequence[str]) -> int:
    """Trains, or goes on training, as the command line says."""
    given, explicit = parse_config(PPOConfig, argv, __doc__)
    with open_run("run_hw5_ppo", given, explicit, resolve) as (config, run_dir):
        from cs285.agents.ppo_agent import PPOAgent
        from cs285.infrastructure import pytorch_util as ptu
        from cs285.infrastructure.rl_trainer import RL_Trainer, train

        ptu.set_up(config.seed, config.threads, config.no_gpu, config.which_gpu)
        env = make_env(config)
        eval_env = make_env(config, "rgb_array" if config.video_log_freq > 0 else None)
        env.reset(seed=config.seed)
        eval_env.reset(seed=config.seed + 1)
        ep_len = config.ep_len or sys.maxsize
        params = dataclasses.asdict(config) | {
            "ep_len": ep_len,
            "video_len": ep_len,
            "train_batch_size": config.batch_size,
            "num_agent_train_steps_per_iter": 1,
        }
        agent = PPOAgent(env, agent_settings(env, config))
        trainer = RL_Trainer(params, agent, env, eval_env, run_dir)
        return train(trainer, config.n_iter, resume=config.resume is not None)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

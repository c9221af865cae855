"""Homework 5, part 2: TRPO, with discrete or continuous actions."""

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

    from cs285.agents.trpo_agent import TRPOSettings
    from cs285.policies.MLP_policy import MLPPolicy


@dataclasses.dataclass(frozen=True)
class TRPOConfig(RunConfig):
    """The flags of this script."""

    env_name: str = flag("CartPole-v1", "id of a Gymnasium environment")
    exp_name: str = flag("trpo", "name of the experiment, part of the run folder's name")
    n_iter: int = flag(50, "iterations: collect a batch, learn from it", "-n", positive=True)
    ep_len: int = flag(None, "longest episode, in steps; default: the task's own", positive=True)
    batch_size: int = flag(2048, "environment steps per iteration, at least", "-b", positive=True)
    eval_batch_size: int = flag(1000, "environment steps per evaluation", "-eb", positive=True)
    discount: float = flag(0.99, "gamma, per step", low=0.0, high=1.0)
    gae_lambda: float = flag(0.95, "lambda of GAE", low=0.0, high=1.0)
    max_kl: float = flag(0.01, "trust region: divergence of a step, in nats", positive=True)
    cg_steps: int = flag(15, "steps of conjugate gradient", positive=True)
    damping: float = flag(0.1, "added to the Fisher matrix's diagonal", low=0.0)
    line_search_steps: int = flag(10, "step lengths tried, at most", positive=True)
    line_search_shrink: float = flag(0.8, "from one step length to the next", low=0.01, high=0.99)
    critic_learning_rate: float = flag(
        1e-3, "Adam's step size for the critic", "-blr", positive=True
    )
    minibatch_size: int = flag(128, "transitions of a critic update", "-mb", positive=True)
    num_epochs: int = flag(10, "passes of the critic over each batch", positive=True)
    n_layers: int = flag(2, "hidden layers of each network", "-l", positive=True)
    size: int = flag(64, "units of each hidden layer", "-s", positive=True)
    normalize_observations: bool = flag(
        False, "scale observations by the mean and variance of all so far"
    )
    scalar_log_freq: int = flag(1, "iterations from one row of the log to the next")
    eval_freq: int = flag(None, "iterations between evaluations; default: with each row")
    video_log_freq: int = flag(-1, "iterations from one video to the next; -1: never")


def resolve(config: TRPOConfig) -> TRPOConfig:
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


def make_env(config: TRPOConfig, render: str | None = None) -> gym.Env[Any, Any]:
    """Makes the task; raises UserError if TRPO cannot act there."""
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
            f"{config.env_name} shows images, and TRPO here takes vectors: "
            "use scripts/run_hw3_dqn.py"
        )
    if isinstance(space, Box) and len(space.shape) == 1:
        return ClipAction(env)  # a Gaussian knows no bounds; the task sees the nearest action
    if not isinstance(space, Discrete):
        raise UserError(f"{config.env_name}: actions are choices or vectors here, not {space}")
    return env


def agent_settings(env: gym.Env[Any, Any], config: TRPOConfig) -> TRPOSettings:
    """Returns what `TRPOAgent` reads."""
    from gymnasium import spaces

    from cs285.agents.trpo_agent import TRPOSettings

    return TRPOSettings.of(
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
    from cs285.agents.trpo_agent import TRPOAgent

    config = config_from_dict(TRPOConfig, settings)
    env = make_env(config, render)
    policy = TRPOAgent(env, agent_settings(env, config)).actor
    policy.load_state_dict(weights)
    return env, policy


@cli
def main(argv: Sequence[str]) -> int:
    """Trains, or goes on training, as the command line says."""
    given, explicit = parse_config(TRPOConfig, argv, __doc__)
    with open_run("run_hw5_trpo", given, explicit, resolve) as (config, run_dir):
        from cs285.agents.trpo_agent import TRPOAgent
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
        agent = TRPOAgent(env, agent_settings(env, config))
        trainer = RL_Trainer(params, agent, env, eval_env, run_dir)
        return train(trainer, config.n_iter, resume=config.resume is not None)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

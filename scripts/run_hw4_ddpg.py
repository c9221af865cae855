"""Homework 4, part 1: DDPG on continuous control tasks."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cs285.infrastructure import stepper
from cs285.infrastructure.config import cli, config_from_dict, flag, open_run, parse_config

if TYPE_CHECKING:  # torch takes seconds to import: flags are read first, so that typos answer
    import torch

    from cs285.agents.ddpg_agent import DDPGSettings


@dataclasses.dataclass(frozen=True)
class DDPGConfig(stepper.OffPolicyConfig):
    """The flags of this script."""

    exp_name: str = flag("ddpg", "name of the experiment, part of the run folder's name")
    exploration_noise: float = flag(0.1, "deviation of noise on actions in (-1, 1)", low=0.0)


def resolve(config: DDPGConfig) -> DDPGConfig:
    """Fills in what depends on other flags, and checks what flags alone can't."""
    return stepper.resolve(config)


def agent_settings(config: DDPGConfig, dims: Mapping[str, int]) -> DDPGSettings:
    """Returns what `DDPGAgent` reads; `dims` are ob_dim and ac_dim."""
    from cs285.agents.ddpg_agent import DDPGSettings

    return DDPGSettings.of(config, hidden=stepper.hidden_sizes(config), **dims)


def load_policy(
    settings: Mapping[str, Any], weights: Mapping[str, torch.Tensor], render: str | None
) -> tuple[Any, Any]:
    """Returns the environment and the noiseless policy of a run, from its config.json."""
    from cs285.policies.deterministic_policy import DeterministicPolicy, WithoutNoise

    config = config_from_dict(DDPGConfig, settings)
    env, dims = stepper.make_env(config, render)
    actor = DeterministicPolicy(
        dims["ob_dim"], dims["ac_dim"], stepper.hidden_sizes(config), config.exploration_noise
    )
    actor.load_state_dict(weights)
    return env, WithoutNoise(actor)


@cli
def main(argv: Sequence[str]) -> int:
    """Trains, or goes on training, as the command line says."""
    given, explicit = parse_config(DDPGConfig, argv, __doc__)
    with open_run("run_hw4_ddpg", given, explicit, resolve) as (config, run_dir):
        from cs285.agents.ddpg_agent import DDPGAgent
        from cs285.infrastructure import pytorch_util as ptu
        from cs285.infrastructure.rl_trainer import RL_Trainer, train

        ptu.set_up(config.seed, config.threads, config.no_gpu, config.which_gpu)
        env, dims = stepper.make_env(config)
        eval_env, _ = stepper.make_env(config, "rgb_array" if config.video_log_freq > 0 else None)
        env.reset(seed=config.seed)
        eval_env.reset(seed=config.seed + 1)
        agent = DDPGAgent(env, agent_settings(config, dims))
        trainer = RL_Trainer(stepper.trainer_params(config), agent, env, eval_env, run_dir)
        return train(trainer, config.num_timesteps, resume=config.resume is not None)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

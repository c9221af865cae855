"""Homework 4, part 3: SAC on continuous control tasks."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cs285.infrastructure import stepper
from cs285.infrastructure.config import cli, config_from_dict, flag, open_run, parse_config

if TYPE_CHECKING:  # torch takes seconds to import: flags are read first, so that typos answer
    import torch

    from cs285.agents.sac_agent import SACSettings


@dataclasses.dataclass(frozen=True)
class SACConfig(stepper.OffPolicyConfig):
    """The flags of this script."""

    exp_name: str = flag("sac", "name of the experiment, part of the run folder's name")
    learning_rate: float = flag(3e-4, "Adam's step size, for all networks", "-lr", positive=True)
    q_backup: str = flag(
        "clipped",
        "what values the next state: single, the one critic; double, each critic's twin; "
        "clipped, the smaller of two",
        choices=("single", "double", "clipped"),
    )
    temperature: float = flag(None, "alpha, reward per nat; default: tuned", positive=True)
    target_entropy: float = flag(None, "nats; default: minus the number of action components")


def resolve(config: SACConfig) -> SACConfig:
    """Fills in what depends on other flags, and checks what flags alone can't."""
    return stepper.resolve(config)


def agent_settings(config: SACConfig, dims: Mapping[str, int]) -> SACSettings:
    """Returns what `SACAgent` reads; `dims` are ob_dim and ac_dim."""
    from cs285.agents.sac_agent import SACSettings

    return SACSettings.of(config, hidden=stepper.hidden_sizes(config), **dims)


def load_policy(
    settings: Mapping[str, Any], weights: Mapping[str, torch.Tensor], render: str | None
) -> tuple[Any, Any]:
    """Returns the environment and the policy without chance of a run, from its config.json."""
    from cs285.policies.squashed_policy import MeanAction, SquashedPolicy

    config = config_from_dict(SACConfig, settings)
    env, dims = stepper.make_env(config, render)
    actor = SquashedPolicy(dims["ob_dim"], dims["ac_dim"], stepper.hidden_sizes(config))
    actor.load_state_dict(weights)
    return env, MeanAction(actor)


@cli
def main(argv: Sequence[str]) -> int:
    """Trains, or goes on training, as the command line says."""
    given, explicit = parse_config(SACConfig, argv, __doc__)
    with open_run("run_hw4_sac", given, explicit, resolve) as (config, run_dir):
        from cs285.agents.sac_agent import SACAgent
        from cs285.infrastructure import pytorch_util as ptu
        from cs285.infrastructure.rl_trainer import RL_Trainer, train

        ptu.set_up(config.seed, config.threads, config.no_gpu, config.which_gpu)
        env, dims = stepper.make_env(config)
        eval_env, _ = stepper.make_env(config, "rgb_array" if config.video_log_freq > 0 else None)
        env.reset(seed=config.seed)
        eval_env.reset(seed=config.seed + 1)
        agent = SACAgent(env, agent_settings(config, dims))
        trainer = RL_Trainer(stepper.trainer_params(config), agent, env, eval_env, run_dir)
        return train(trainer, config.num_timesteps, resume=config.resume is not None)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

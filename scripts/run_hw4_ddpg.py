"""Homework 4, part 1: DDPG on continuous control tasks."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cs285.infrastructure import stepper
from cs285.infrastructure.config import cli, config_from_dict, flag

if TYPE_CHECKING:  # torch takes seconds to import: flags are read first, so that typos answer
    import gymnasium as gym
    import torch

    from cs285.agents.ddpg_agent import DDPGAgent


@dataclasses.dataclass(frozen=True)
class DDPGConfig(stepper.OffPolicyConfig):
    """The flags of this script."""

    exp_name: str = flag("ddpg", "name of the experiment, part of the run folder's name")
    exploration_noise: float = flag(0.1, "deviation of noise on actions in (-1, 1)", low=0.0)


resolve = stepper.resolve


def new_agent(env: gym.Env[Any, Any], config: DDPGConfig, dims: Mapping[str, int]) -> DDPGAgent:
    """Builds the agent; `dims` are ob_dim and ac_dim."""
    from cs285.agents.ddpg_agent import DDPGAgent, DDPGSettings

    hidden = config.hidden_sizes()
    return DDPGAgent(env, DDPGSettings.of(config, hidden=hidden, **dims))


def load_policy(
    settings: Mapping[str, Any], weights: Mapping[str, torch.Tensor], render: str | None
) -> tuple[Any, Any]:
    """Returns the environment and the noiseless policy of a run, from its config.json."""
    from cs285.infrastructure.agent import DeterministicPolicy
    from cs285.policies.deterministic_policy import DeterministicActor

    config = config_from_dict(DDPGConfig, settings, fill_in=True)
    env, dims = stepper.make_env(config, render)
    actor = DeterministicActor(
        dims["ob_dim"],
        dims["ac_dim"],
        config.hidden_sizes(),
        config.exploration_noise,
        config.activation,
    )
    actor.load_state_dict(weights)
    return env, DeterministicPolicy(actor)


@cli
def main(argv: Sequence[str]) -> int:
    """Trains, or goes on training, as the command line says."""
    return stepper.launch("run_hw4_ddpg", DDPGConfig, argv, __doc__, new_agent)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

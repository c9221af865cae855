"""Homework 4, part 3: SAC on continuous control tasks."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cs285.experiments import off_policy, own_networks
from cs285.experiments.launch import launch
from cs285.infrastructure.base.config import cli, config_from_dict, flag

if TYPE_CHECKING:  # torch takes seconds to import: flags are read first, so that typos answer
    import gymnasium as gym
    import torch

    from cs285.agents.sac_agent import SACAgent
    from cs285.infrastructure.rl_trainer import RL_Trainer


@dataclasses.dataclass(frozen=True)
class SACConfig(off_policy.OffPolicyConfig):
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


SCRIPT = "run_hw4_sac"
OUTPUTS = 2  # of the policy for each component of an action: mean and log standard deviation
resolve = off_policy.resolve


def new_agent(env: gym.Env[Any, Any], config: SACConfig, dims: Mapping[str, int]) -> SACAgent:
    """Builds the agent; `dims` are ob_dim and ac_dim."""
    from cs285.agents.sac_agent import SACAgent, SACSettings

    critics = ("q",) if config.q_backup == "single" else ("q1", "q2")
    networks = own_networks.asked_for(config, env, "pi", *critics, outputs=OUTPUTS)
    settings = SACSettings.of(config, hidden=config.hidden_sizes(), networks=networks, **dims)
    return off_policy.with_step_sizes(SACAgent(env, settings), config)


def load_policy(
    settings: Mapping[str, Any], weights: Mapping[str, torch.Tensor], render: str | None
) -> tuple[Any, Any]:
    """Returns the environment and the deterministic policy of a run, from its config.json."""
    from cs285.infrastructure.training.agent import DeterministicPolicy
    from cs285.policies.squashed_policy import SquashedPolicy

    config = config_from_dict(SACConfig, settings, fill_in=True)
    env, dims = off_policy.make_env(config, render)
    actor = SquashedPolicy(dims["ob_dim"], dims["ac_dim"], config.hidden_sizes(), config.activation)
    if own := own_networks.asked_for(config, env, "pi", outputs=OUTPUTS):
        own.install(actor)
    actor.load_state_dict(weights)
    return env, DeterministicPolicy(actor)


def build(config: SACConfig, run_dir: Path) -> RL_Trainer:
    """Builds environments, agent and trainer of a run that writes into `run_dir`."""
    return off_policy.build(config, run_dir, new_agent)


@cli
def main(argv: Sequence[str]) -> int:
    """Trains, or resumes a training, as a command line says; returns the exit status."""
    return launch(SCRIPT, SACConfig, argv, __doc__, resolve, build)

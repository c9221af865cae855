"""Homework 4, part 1: DDPG on continuous control tasks."""

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

    from cs285.agents.ddpg_agent import DDPGAgent
    from cs285.infrastructure.rl_trainer import RL_Trainer


@dataclasses.dataclass(frozen=True)
class DDPGConfig(off_policy.OffPolicyConfig):
    """The flags of this script."""

    exp_name: str = flag("ddpg", "name of the experiment, part of the run folder's name")
    exploration_noise: float = flag(0.1, "deviation of noise on actions in (-1, 1)", low=0.0)


SCRIPT = "run_hw4_ddpg"
resolve = off_policy.resolve


def new_agent(env: gym.Env[Any, Any], config: DDPGConfig, dims: Mapping[str, int]) -> DDPGAgent:
    """Builds the agent; `dims` are ob_dim and ac_dim."""
    from cs285.agents.ddpg_agent import DDPGAgent, DDPGSettings

    networks = own_networks.asked_for(config, env, "pi", "q")
    settings = DDPGSettings.of(config, hidden=config.hidden_sizes(), networks=networks, **dims)
    return off_policy.with_step_sizes(DDPGAgent(env, settings), config)


def load_policy(
    settings: Mapping[str, Any], weights: Mapping[str, torch.Tensor], render: str | None
) -> tuple[Any, Any]:
    """Returns the environment and the deterministic policy of a run, from its config.json."""
    config = config_from_dict(DDPGConfig, settings, fill_in=True)
    return off_policy.load_deterministic(config, config.exploration_noise, weights, render)


def build(config: DDPGConfig, run_dir: Path) -> RL_Trainer:
    """Builds environments, agent and trainer of a run that writes into `run_dir`."""
    return off_policy.build(config, run_dir, new_agent)


@cli
def main(argv: Sequence[str]) -> int:
    """Trains, or resumes a training, as a command line says; returns the exit status."""
    return launch(SCRIPT, DDPGConfig, argv, __doc__, resolve, build)

"""Homework 4, part 2: TD3 on continuous control tasks."""

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

    from cs285.agents.td3_agent import TD3Agent
    from cs285.infrastructure.rl_trainer import RL_Trainer


@dataclasses.dataclass(frozen=True)
class TD3Config(off_policy.OffPolicyConfig):
    """The flags of this script."""

    exp_name: str = flag("td3", "name of the experiment, part of the run folder's name")
    exploration_noise: float = flag(0.1, "deviation of noise on actions in (-1, 1)", low=0.0)
    target_noise: float = flag(0.2, "deviation of noise on the target's actions", low=0.0)
    noise_clip: float = flag(0.5, "largest magnitude of that noise", low=0.0)
    policy_delay: int = flag(2, "critic updates per actor update", positive=True)


SCRIPT = "run_hw4_td3"
resolve = off_policy.resolve


def new_agent(env: gym.Env[Any, Any], config: TD3Config, dims: Mapping[str, int]) -> TD3Agent:
    """Builds the agent; `dims` are ob_dim and ac_dim."""
    from cs285.agents.td3_agent import TD3Agent, TD3Settings

    networks = own_networks.asked_for(config, env, "pi", "q1", "q2")
    settings = TD3Settings.of(config, hidden=config.hidden_sizes(), networks=networks, **dims)
    return off_policy.with_step_sizes(TD3Agent(env, settings), config)


def load_policy(
    settings: Mapping[str, Any], weights: Mapping[str, torch.Tensor], render: str | None
) -> tuple[Any, Any]:
    """Returns the environment and the deterministic policy of a run, from its config.json."""
    config = config_from_dict(TD3Config, settings, fill_in=True)
    return off_policy.load_deterministic(config, config.exploration_noise, weights, render)


def build(config: TD3Config, run_dir: Path) -> RL_Trainer:
    """Builds environments, agent and trainer of a run that writes into `run_dir`."""
    return off_policy.build(config, run_dir, new_agent)


@cli
def main(argv: Sequence[str]) -> int:
    """Trains, or resumes a training, as a command line says; returns the exit status."""
    return launch(SCRIPT, TD3Config, argv, __doc__, resolve, build)

"""Homework 5, part 2: TRPO, with discrete or continuous actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cs285.configs.trpo import TRPOConfig
from cs285.experiments import own_networks, segments
from cs285.experiments.launch import launch
from cs285.infrastructure.base.config import cli, config_from_dict

if TYPE_CHECKING:  # torch takes seconds to import: flags are read first, so that typos answer
    import torch

    from cs285.agents.trpo_agent import TRPOAgent
    from cs285.infrastructure.rl_trainer import RL_Trainer
    from cs285.infrastructure.training.rollout_collector import VectorEnv


SCRIPT = "run_hw5_trpo"
resolve = segments.resolve


def new_agent(env: VectorEnv, config: TRPOConfig, own: Any) -> TRPOAgent:
    """Builds the agent; `own` are networks of one's own, if there are any."""
    from cs285.agents.trpo_agent import TRPOAgent

    return TRPOAgent(env, config, own)


def load_policy(
    settings: Mapping[str, Any], weights: Mapping[str, torch.Tensor], render: str | None
) -> tuple[Any, Any]:
    """Returns the environment and the deterministic policy of a run, from its config.json."""
    from cs285.agents.segment_agent import build_networks
    from cs285.infrastructure.training.agent import DeterministicPolicy

    config = config_from_dict(TRPOConfig, settings, fill_in=True)
    env = segments.make_env(config, render)
    own = own_networks.asked_for(config, env, "pi", "v")
    policy, _, _ = build_networks((env.observation_space, env.action_space), config, own)
    policy.load_state_dict(weights)
    return env, DeterministicPolicy(policy)


def build(config: TRPOConfig, run_dir: Path) -> RL_Trainer:
    """Builds environments, agent and trainer of a run that writes into `run_dir`."""
    return segments.build(config, run_dir, new_agent)


CONFIG = TRPOConfig


@cli
def main(argv: Sequence[str]) -> int:
    """Trains, or resumes a training, as a command line says; returns the exit status."""
    return launch(SCRIPT, CONFIG, argv, __doc__, resolve, build)

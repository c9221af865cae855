"""Homework 5, part 2: TRPO, with discrete or continuous actions."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cs285.experiments import segments
from cs285.experiments.launch import launch
from cs285.infrastructure.base.config import cli, config_from_dict, flag
from cs285.infrastructure.base.spelling import Whole

if TYPE_CHECKING:  # torch takes seconds to import: flags are read first, so that typos answer
    import torch

    from cs285.agents.trpo_agent import TRPOAgent, TRPOSettings
    from cs285.infrastructure.rl_trainer import RL_Trainer
    from cs285.infrastructure.training.rollout_collector import VectorEnv


@dataclasses.dataclass(frozen=True)
class TRPOConfig(segments.SegmentConfig):
    """The flags of this script."""

    exp_name: str = flag("trpo", "name of the experiment, part of the run folder's name")
    minibatch_size: int = flag(128, "transitions of a critic update", "-mb", positive=True)
    num_epochs: int = flag(
        10,
        "passes of the critic over each batch",
        Whole("--repeat_times"),
        positive=True,
    )
    max_kl: float = flag(0.01, "trust region: divergence of a step, in nats", positive=True)
    cg_steps: int = flag(15, "steps of conjugate gradient", positive=True)
    damping: float = flag(0.1, "added to the Fisher matrix's diagonal", low=0.0)
    line_search_steps: int = flag(10, "step lengths tried, at most", positive=True)
    line_search_shrink: float = flag(0.8, "from one step length to the next", low=0.01, high=0.99)
    critic_learning_rate: float = flag(
        1e-3, "Adam's step size for the critic", "-blr", "--vf_lr", positive=True
    )


SCRIPT = "run_hw5_trpo"
resolve = segments.resolve


def agent_settings(config: TRPOConfig, dims: Mapping[str, Any]) -> TRPOSettings:
    """Returns what `TRPOAgent` reads; `dims` are what `segments.of_agent` returns."""
    from cs285.agents.trpo_agent import TRPOSettings

    return TRPOSettings.of(config, hidden=config.hidden_sizes(), **dims)


def new_agent(env: VectorEnv, config: TRPOConfig, dims: Mapping[str, Any]) -> TRPOAgent:
    """Builds the agent."""
    from cs285.agents.trpo_agent import TRPOAgent

    return TRPOAgent(env, agent_settings(config, dims))


def load_policy(
    settings: Mapping[str, Any], weights: Mapping[str, torch.Tensor], render: str | None
) -> tuple[Any, Any]:
    """Returns the environment and the deterministic policy of a run, from its config.json."""
    from cs285.agents.trpo_agent import build_networks
    from cs285.infrastructure.training.agent import DeterministicPolicy

    config = config_from_dict(TRPOConfig, settings, fill_in=True)
    env = segments.make_env(config, render)
    policy, _, _ = build_networks(agent_settings(config, segments.of_agent(config, env)))
    policy.load_state_dict(weights)
    return env, DeterministicPolicy(policy)


def build(config: TRPOConfig, run_dir: Path) -> RL_Trainer:
    """Builds environments, agent and trainer of a run that writes into `run_dir`."""
    return segments.build(config, run_dir, new_agent)


@cli
def main(argv: Sequence[str]) -> int:
    """Trains, or resumes a training, as a command line says; returns the exit status."""
    return launch(SCRIPT, TRPOConfig, argv, __doc__, resolve, build)

"""A resumed agent is the agent that was saved: no attribute that training changes is forgotten."""

from __future__ import annotations

import copy
from collections import deque
from pathlib import Path
from types import FunctionType
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from torch import nn

from cs285.experiments import registry
from cs285.infrastructure.base.config import parse_config
from cs285.infrastructure.rl_trainer import RL_Trainer

# Random actions last longer than the run, so that their generator is still used at the end.
OFF_POLICY = (
    "--num_timesteps 60 --hid 8 -b 8 --start_steps 100 --learning_starts 20 --buffer_size 50"
)
RUNS = {
    "vpg": "--env_name Pendulum-v1 -n 3 -b 200 -rtg --nn_baseline",
    "actor_critic": "-n 3 -b 50",
    "dqn": "--env_name CartPole-v1 --num_timesteps 120 --learning_starts 40",
    "ddpg": OFF_POLICY,
    "td3": OFF_POLICY,
    "sac": OFF_POLICY,
    "ppo": "-n 3 -b 64 --normalize_observations",
    "trpo": "-n 3 -b 64 -mb 32 --normalize_observations",
    "portfolio": f"{OFF_POLICY} --ep_len 20 --own_experience",
}
# What is made anew before it is used again: segments that were learned from, the newest index; and
# where in memory the weights are.
STALE = ("batch", "replay_buffer_idx", "critic._by_numpy", "collector.actor.outputs.tensors")


def trainer_of(algorithm: str, folder: Path) -> RL_Trainer:
    experiment = registry.algorithms()[algorithm]
    words = [*RUNS[algorithm].split(), "--threads", "1"]
    config, _ = parse_config(experiment.config_class, words, "")
    trainer: RL_Trainer = experiment.build(experiment.resolve(config), folder)
    return trainer


def play(trainer: RL_Trainer) -> None:
    """Does what the training loop does with the agent, but for logs and evaluations."""
    trainer.perform_logging = lambda *_: None
    trainer.run.save_if_due = lambda *_: False
    trainer.run.finish = lambda *_: None
    agent = trainer.agent
    trainer.run_training_loop(trainer.params["n_iter"], agent.actor, agent.eval_policy)


def leaves(value: Any, path: str, seen: dict[int, Any]) -> dict[str, Any]:
    """Everything that can be compared below an object, by its path."""
    if isinstance(value, bool | int | float | str | bytes | None):
        return {path: value}
    if isinstance(value, torch.Tensor | np.ndarray):
        return {path: np.array(value.tolist()).tobytes()}
    if isinstance(value, np.random.Generator):
        return {path: str(value.bit_generator.state)}
    if id(value) in seen or is_outside(value):
        return {}
    seen[id(value)] = value  # kept alive, so that no other object gets its id
    found: dict[str, Any] = {}
    for name, part in parts_of(value).items():
        found |= leaves(part, f"{path}.{name}", seen)
    return found


def is_outside(value: Any) -> bool:
    """Whether this is an environment, which the trainer saves, or code."""
    return isinstance(value, gym.Env | FunctionType | type) or hasattr(value, "num_envs")


def parts_of(value: Any) -> dict[Any, Any]:
    """What an object consists of, by name or number."""
    if isinstance(value, torch.optim.Optimizer):
        return value.state_dict()
    if isinstance(value, dict):
        return value
    if isinstance(value, list | tuple | deque):
        return dict(enumerate(value))
    weights = value.state_dict() if isinstance(value, nn.Module) else {}
    return getattr(value, "__dict__", {}) | weights


def forgotten(before: Any, trained: Any, resumed: Any) -> list[str]:
    """What training has changed and a resumed agent has otherwise, by its path in the agent."""
    old, now, again = (leaves(agent, "agent", {}) for agent in (before, trained, resumed))
    changed = [path for path in now if now[path] != old.get(path)]
    assert len(changed) > 5
    stale = tuple(f"agent.{name}" for name in STALE)
    return [path for path in changed if now[path] != again.get(path) and not path.startswith(stale)]


@pytest.mark.parametrize("algorithm", RUNS)
def test_nothing_that_training_changes_is_forgotten(algorithm: str, tmp_path: Path) -> None:
    fresh, trained, twin = (trainer_of(algorithm, tmp_path / name) for name in "abc")
    play(trained)
    state = copy.deepcopy(trained.agent.state_dict())
    twin.agent.load_state_dict(state)
    twin.agent.t = trained.agent.t  # as the trainer does
    assert forgotten(fresh.agent, trained.agent, twin.agent) == []


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", sorted(set(RUNS) - {"portfolio"}))
def test_a_name_that_is_left_out_is_found(algorithm: str, tmp_path: Path) -> None:
    fresh, trained = (trainer_of(algorithm, tmp_path / name) for name in "ab")
    play(trained)
    for name in trained.agent.kept:
        twin = trainer_of(algorithm, tmp_path / name)
        left = tuple(other for other in trained.agent.kept if other != name)
        trained.agent.kept = twin.agent.kept = left
        twin.agent.load_state_dict(copy.deepcopy(trained.agent.state_dict()))
        twin.agent.t = trained.agent.t
        trained.agent.kept = (*left, name)
        assert forgotten(fresh.agent, trained.agent, twin.agent), f"{name} is kept for nothing"

"""The scripts of homework 4: their layers, their saved policies, and the door to all three."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.torch
import torch

from cs285.agents.off_policy_agent import vector_sizes
from cs285.configs.ddpg import DDPGConfig
from cs285.experiments import registry
from cs285.experiments.ddpg import EXPERIMENT as DDPG
from cs285.infrastructure.base.config import read_config_json
from tests.running import ROOT, load_script, only_run

ALGORITHMS = ("ddpg", "td3", "sac")
TINY = "--num_timesteps 90 --learning_starts 20 -b 16 --hid 8,4 --threads 1 --eval_freq -1".split()


@pytest.mark.parametrize("algo", ALGORITHMS)
def test_front_door_trains_and_the_policy_plays_again(
    algo: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    monkeypatch.setattr(sys, "argv", ["scripts/run.py"])
    door = load_script("run")
    words = [*TINY, "--data_dir", str(tmp_path), "--env_name", "Pendulum-v1"]
    assert door.hand_over(f"run_hw4_{algo}", words) == 0
    run_dir = only_run(tmp_path)
    document = read_config_json(run_dir)
    assert run_dir.name.startswith(f"hw4_{algo}_Pendulum-v1_")
    assert document["command"].startswith(f"python scripts/run_hw4_{algo}.py --num_timesteps 90 ")
    script = registry.of_script(f"run_hw4_{algo}")
    weights = safetensors.torch.load_file(run_dir / "policy.safetensors")
    env, policy = script.load_policy(document["settings"], weights, None)
    obs, _ = env.reset(seed=1)
    for _ in range(5):
        action = policy.get_action(obs)[0]
        np.testing.assert_array_equal(
            action, policy.get_action(obs)[0]
        )  # nothing is left to chance
        np.testing.assert_allclose(action, by_hand(weights, obs), rtol=1e-5)
        assert env.action_space.contains(action)
        obs, *_ = env.step(action)


def by_hand(weights: dict[str, torch.Tensor], obs: np.ndarray) -> np.ndarray:
    """The noiseless action for a pendulum, from the file of weights alone."""
    x = torch.from_numpy(obs)
    for layer in ("net.0", "net.2", "net.4"):
        x = (
            weights[f"{layer}.weight"] @ x.relu()
            if layer != "net.0"
            else weights["net.0.weight"] @ x
        )
        x = x + weights[f"{layer}.bias"]
    return np.tanh(x[:1].numpy())


@pytest.mark.parametrize(
    ("flags", "sizes"),
    [
        ({}, (256, 256)),
        ({"hidden": "64,32"}, (64, 32)),
        ({"hidden": "[64, 32, 16]"}, (64, 32, 16)),
        ({"hidden": "8"}, (8,)),
        ({"n_layers": 3}, (256, 256, 256)),
        ({"n_layers": 1, "size": 64}, (64,)),
        ({"size": 32}, (32, 32)),
    ],
)
def test_layers(flags: dict[str, Any], sizes: tuple[int, ...]) -> None:
    config = DDPGConfig(**flags)
    assert DDPG.resolve(config).hidden_sizes() == sizes


def test_resolved_layers_say_what_they_are_and_resolve_again() -> None:
    config = DDPG.resolve(DDPGConfig(n_layers=1, size=64))
    assert config.hidden_sizes() == (64,)
    config = DDPG.resolve(DDPGConfig())
    assert (config.n_layers, config.size, config.hidden) == (2, 256, None)
    assert DDPG.resolve(DDPGConfig(hidden="[8]")).hidden == "[8]"


def test_actions_are_scaled_to_the_environments_bounds() -> None:
    env = DDPG.make_env(DDPGConfig(env_name="Pendulum-v1"))
    assert vector_sizes(env) == (3, 1)
    assert env.action_space.low == -1.0 and env.action_space.high == 1.0
    env.reset(seed=0)
    env.step(np.ones(1, np.float32))
    assert env.unwrapped.last_u == 2.0


@pytest.mark.parametrize(("ep_len", "cut"), [(None, 200), (30, 30)])
def test_a_time_limit_is_no_end_below_discount_1(ep_len: int | None, cut: int) -> None:
    config = DDPGConfig(env_name="Pendulum-v1", ep_len=ep_len)
    env = DDPG.make_env(config)
    env.reset(seed=0)
    ends = [env.step(np.zeros(1, np.float32))[2:4] for _ in range(cut)]
    assert ends == [(False, False)] * (cut - 1) + [(False, True)]

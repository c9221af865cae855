"""Each script brings back the policy of its runs, and the environment to play it in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import safetensors.torch
from gymnasium.wrappers import TransformAction

from cs285.experiments import registry
from cs285.infrastructure.base.config import read_config_json
from cs285.infrastructure.environments import env_state
from cs285.infrastructure.environments.spaces import NearestAction
from cs285.infrastructure.rollouts import sample_trajectory
from tests.running import only_run

PENDULUM = "--env_name Pendulum-v1 -n 1 -b 200 -eb 200"
RUNS = {
    "run_hw2": f"{PENDULUM} --use_baseline --action_noise_std 0.5",
    "run_hw5_ppo": f"{PENDULUM} --num_epochs 1",
    "run_hw5_trpo": f"{PENDULUM} --num_epochs 1 --normalize_observations",
}


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.slow
def test_policy_comes_back(name: str, tmp_path: Path) -> None:
    script = registry.of_script(name)
    assert script.main([*RUNS[name].split(), "--data_dir", str(tmp_path)]) == 0
    run_dir = only_run(tmp_path)
    weights = safetensors.torch.load_file(run_dir / "policy.safetensors")
    env, policy = script.load_policy(read_config_json(run_dir)["settings"], weights, None)
    module = getattr(policy, "policy", policy)  # below what takes the chance out
    assert all(np.array_equal(weights[n], w) for n, w in module.state_dict().items())
    env.reset(seed=0)
    path = sample_trajectory(env, policy, 1000)
    assert path["action"].shape == (200, 1)
    assert isinstance(env, TransformAction) == ("noise" in RUNS[name])
    assert isinstance(env_state.within(env, NearestAction), NearestAction)


def test_noise_is_of_the_size_asked_for_and_seeded() -> None:
    script = registry.of_script("run_hw2")
    config = script.config_class(env_name="Pendulum-v1", action_noise_std=0.5)
    drawn = []
    for _ in range(2):
        env = script.make_env(config, training=True)
        env.action_space.seed(3)
        zeros = np.zeros(1, np.float32)
        drawn.append([float(env.func(zeros)[0]) for _ in range(2000)])
    assert drawn[0] == drawn[1]
    # The spread of the two estimates, with 2,000 draws, is 0.011 and 0.008.
    assert abs(np.mean(drawn[0])) < 0.05 and abs(np.std(drawn[0]) - 0.5) < 0.04

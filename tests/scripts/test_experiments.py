"""Experiments are built and run from Python as well as by their scripts."""

from __future__ import annotations

from pathlib import Path

import pytest
import safetensors.torch

from cs285.experiments import dqn, launch, registry, sac
from cs285.infrastructure.base.config import read_config_json
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.logging.logger import read_log
from tests.running import ROOT, only_run


@pytest.mark.parametrize("algorithm", registry.algorithms())
def test_each_has_a_thin_script(algorithm: str) -> None:
    experiment = registry.algorithms()[algorithm]
    script = ROOT / "scripts" / f"{experiment.script}.py"
    assert f"from cs285.experiments.{algorithm} import main" in script.read_text()
    assert len(script.read_text().splitlines()) <= 10
    for name in ("resolve", "build", "load_policy", "main"):
        assert callable(getattr(experiment, name))
    assert registry.of_script(experiment.script) is experiment


def test_an_unknown_script_is_one_line() -> None:
    with pytest.raises(UserError, match="run_hw9.py starts no experiment"):
        registry.of_script("run_hw9")


def test_a_run_from_python(tmp_path: Path) -> None:
    config = sac.SACConfig(
        num_timesteps=60, hidden="8", batch_size=8, learning_starts=20, scalar_log_freq=30,
        eval_freq=-1, threads=1, data_dir=str(tmp_path),
    )  # fmt: skip
    assert launch.run(sac.EXPERIMENT, config) == (0, only_run(tmp_path))
    log = read_log(only_run(tmp_path))
    assert log["Step"].tolist() == [30, 60]
    assert log["Num_Param_Updates"].tolist() == [10, 40]


def test_dqn_learns_from_vectors_in_a_row(tmp_path: Path) -> None:
    config = dqn.DQNConfig(
        env_name="CartPole-v1", num_timesteps=150, learning_starts=40, frame_history_len=2,
        scalar_log_freq=50, threads=1, data_dir=str(tmp_path),
    )  # fmt: skip
    assert launch.run(dqn.EXPERIMENT, config) == (0, only_run(tmp_path))
    folder = only_run(tmp_path)
    weights = safetensors.torch.load_file(folder / "policy.safetensors")
    settings = read_config_json(folder)["settings"]
    env, policy = dqn.EXPERIMENT.load_policy(settings, weights, None)
    obs, _ = env.reset(seed=1)
    assert obs.shape == (2, 4) and policy.get_action(obs[None])[0] in (0, 1)
    assert read_log(folder)["Num_Param_Updates"][-1] > 10

"""`--load`: a run begins with the weights of another, if those fit."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy

from cs285.infrastructure.rl_trainer import RL_Trainer
from tests.running import load_script, only_run

OFF_POLICY = "--env_name Pendulum-v1 --num_timesteps 60 --learning_starts 20 -b 16 --hid 8"
ON_POLICY = "--env_name CartPole-v1 -n 1 -b 100 -eb 50"
RUNS = {
    "run_hw2": f"{ON_POLICY} --nn_baseline",
    "run_hw3_dqn": "--env_name CartPole-v1 --num_timesteps 60 --learning_starts 20",
    "run_hw3_actor_critic": ON_POLICY,
    "run_hw4_ddpg": OFF_POLICY,
    "run_hw4_td3": OFF_POLICY,
    "run_hw4_sac": OFF_POLICY,
    "run_hw5_ppo": ON_POLICY,
    "run_hw5_trpo": f"{ON_POLICY} -mb 50 --normalize_observations",
}


# Three kinds by default, all of them in the slow tests.
OFTEN, SLOW = ("run_hw3_dqn", "run_hw4_sac", "run_hw5_trpo"), pytest.mark.slow


@pytest.mark.parametrize("name", [n if n in OFTEN else pytest.param(n, marks=SLOW) for n in RUNS])
def test_a_run_begins_with_the_weights_of_another(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script, words = load_script(name), [*RUNS[name].split(), "--eval_freq", "-1", "--threads", "1"]
    assert script.main([*words, "--data_dir", str(tmp_path / "one")]) == 0
    one = only_run(tmp_path / "one")
    begun_with = {}

    def look(trainer: RL_Trainer, *_: object) -> bool:
        for key, tensor in trainer.agent.policy_state_dict().items():
            begun_with[key] = tensor.detach().numpy().copy()
        return True

    monkeypatch.setattr(RL_Trainer, "run_training_loop", look)
    more = ["--seed", "2", "--load", str(one), "--data_dir", str(tmp_path / "two")]
    assert script.main([*words, *more]) == 0
    policy = safetensors.numpy.load_file(one / "policy.safetensors")
    assert policy.keys() == begun_with.keys()
    for key, array in policy.items():
        np.testing.assert_array_equal(array, begun_with[key])
    shutil.rmtree(tmp_path / "two")
    capsys.readouterr()
    width = ["--hid", "5"] if "hw4" in name else ["-s", "5"]
    other = [w for w in words if w not in ("--hid", "8")]
    assert script.main([*other, *more, *width]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "another architecture" in line
    assert not (tmp_path / "two").exists()


def test_a_folder_without_weights_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*RUNS["run_hw5_ppo"].split(), "--load", str(tmp_path), "--data_dir", str(tmp_path)]
    assert load_script("run_hw5_ppo").main(words) == 2
    assert "weights.safetensors is not there" in capsys.readouterr().err

"""The front door: every algorithm by name, Spinning Up's spelling, and scripts found elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from cs285.experiments import spinning_up
from cs285.infrastructure.base.config import read_config_json
from cs285.infrastructure.base.errors import UserError
from tests.running import ROOT, load_script, only_run, run

RUN = load_script("run")
TINY = {
    "vpg": "--env CartPole-v1 --epochs 1 --steps_per_epoch 100 -eb 50",
    "dqn": "--env CartPole-v1 --epochs 1 --steps_per_epoch 100 --learning_starts 50",
    "actor_critic": "--env CartPole-v1 --epochs 1 --steps_per_epoch 100 -eb 50",
    "ddpg": "--env Pendulum-v1 --epochs 1 --steps_per_epoch 120 -b 16 --eval_freq -1",
    "td3": "--env Pendulum-v1 --epochs 1 --steps_per_epoch 120 -b 16 --eval_freq -1",
    "sac": "--env Pendulum-v1 --epochs 1 --steps_per_epoch 120 -b 16 --eval_freq -1",
    "ppo": "--env Pendulum-v1 --epochs 1 --steps_per_epoch 100 --num_envs 2 -eb 50",
    "trpo": "--env Pendulum-v1 --epochs 1 --steps_per_epoch 100 --num_envs 2 -mb 20 -eb 50",
}


# Three kinds by default, all of them in the slow tests.
OFTEN, SLOW = ("actor_critic", "ddpg", "ppo"), pytest.mark.slow


@pytest.mark.parametrize(
    "algorithm", [a if a in OFTEN else pytest.param(a, marks=SLOW) for a in TINY]
)
def test_every_algorithm_starts_by_name(algorithm: str, tmp_path: Path) -> None:
    words = [*TINY[algorithm].split(), "--gamma", "0.9", "--exp_name", "x", "--threads", "1"]
    assert RUN.main([algorithm, *words, "--hid", "[8,8]", "--data_dir", str(tmp_path)]) == 0
    document = read_config_json(tmp_path / "x" / "x_s0")
    settings = document["settings"]
    assert document["script"] == RUN.SCRIPTS[algorithm]
    assert (settings["discount"], settings["exp_name"]) == (0.9, "x")
    assert settings["seed"] == 0
    assert settings.get("hidden") in ("8,8", None)
    assert settings.get("hidden") or (settings["n_layers"], settings["size"]) == (2, 8)
    assert settings.get("num_timesteps", 120) in (100, 120)
    assert settings.get("n_iter", 1) == 1


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("ppo --hid [64,32] --act torch.nn.ReLU", "--hid 64,32 --activation relu"),
        ("ppo --hid=64,32 --seed=3", "--seed=3 --hid 64,32"),
        ("ppo --epochs 7 --steps_per_epoch 500", "--n_iter 7 --batch_size 500"),
        ("sac --epochs 3", "--num_timesteps 12000"),
        ("sac --epochs 3 --steps_per_epoch 10", "--num_timesteps 30"),
        ("dqn --hid [32,32] --act relu --gamma=.9", "--discount=.9 --hid 32,32 --activation relu"),
        ("actor_critic --hid [32,16] --act tanh", "--hid 32,16 --activation tanh"),
        ("vpg --env X -rtg -n 3", "--env_name X -rtg -n 3"),
    ],
)
def test_spellings(words: str, meant: str) -> None:
    algorithm, *rest = words.split()
    assert spinning_up.translated(algorithm, rest) == meant.split()


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ("ppo --epochs many", ["--epochs takes", "'many'"]),
        ("sac --steps_per_epoch 10", ["without --epochs"]),
        ("sac --epochs 0", ["above 0"]),
    ],
)
def test_what_cannot_be_said_so(words: str, parts: list[str]) -> None:
    algorithm, *rest = words.split()
    with pytest.raises(UserError) as error:
        spinning_up.translated(algorithm, rest)
    assert all(part in str(error.value) for part in parts)


def test_an_unknown_algorithm_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert RUN.main(["spo"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "spo is none of actor_critic, ddpg, dqn" in line
    assert RUN.main(["--help"]) == 0
    assert "steps_per_epoch" in capsys.readouterr().out


@pytest.mark.slow
def test_the_older_place_of_the_scripts_starts_them(tmp_path: Path) -> None:
    found = {path.name for path in ROOT.glob("cs285/scripts/*.py")}
    assert found == {"run_hw2.py", "run_hw3_dqn.py", "run_hw3_actor_critic.py"}
    command = "python cs285/scripts/run_hw3_dqn.py --env_name CartPole-v1 --num_timesteps 60"
    status, _, err = run(command, "--data_dir", str(tmp_path))
    assert status == 0, err
    assert "/scripts/" not in read_config_json(only_run(tmp_path))["script"]

"""What a person can get wrong ends in one clear line and exit status 2, never in a traceback."""

from __future__ import annotations

import errno
import gc
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from autograder.source.reference import strip
from cs285.infrastructure import pytorch_util as ptu
from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.environments.envs import make_env
from cs285.infrastructure.logging.logger import read_log
from cs285.infrastructure.rl_trainer import RL_Trainer
from tests.running import ROOT, load_script, only_run, run

PG, DQN, AC = "run_hw2", "run_hw3_dqn", "run_hw3_actor_critic"
PPO, TRPO = "run_hw5_ppo", "run_hw5_trpo"
DDPG, TD3, SAC = "run_hw4_ddpg", "run_hw4_td3", "run_hw4_sac"
TINY_AC = ["-n", "2", "-b", "30", "-eb", "30"]


class Unbounded(gym.Env[Any, Any]):
    """Takes every number for an action."""

    observation_space = action_space = gym.spaces.Box(-np.inf, np.inf, (2,))


gym.register("Unbounded-v0", Unbounded, disable_env_checker=True)


def complain(capsys: pytest.CaptureFixture[str], script: str, *words: str) -> str:
    """Runs a script that must refuse; returns its one line."""
    assert load_script(script).main(list(words)) == 2
    err = capsys.readouterr().err
    assert "Traceback" not in err
    lines = [line for line in err.splitlines() if line.startswith("error: ")]
    assert len(lines) == 1, err
    assert err.endswith(lines[0] + "\n")
    return lines[0]


@pytest.mark.parametrize(
    ("script", "words", "parts"),
    [
        (DQN, "--env_name MsPackman-v0", ["no such environment", "MsPacman-v0"]),
        (DQN, "--env_name LunarLandr-v3", ["did you mean", "LunarLander-v3"]),
        (DQN, "--env_name qqqqqqq", ["no such environment"]),
        (DQN, "--env_name Pendulum-v1", ["continuous actions", "run_hw3_actor_critic"]),
        (AC, "--env_name MsPacman-v0", ["images", "run_hw3_dqn"]),
        (DQN, "--batch_size 0", ["--batch_size", "above 0"]),
        (DQN, "--num_timesteps -5", ["--num_timesteps", "above 0"]),
        (DQN, "--discount 1.5", ["--discount", "0 to 1"]),
        (DQN, "--learning_rate fast", ["--learning_rate", "fast"]),
        (DQN, "--exploration 0:1,0:0.5", ["--exploration", "rising"]),
        (DQN, "--exploration 1.5", ["--exploration", "0 to 1"]),
        (DQN, "--learning_rate 0", ["--learning_rate", "0 to 1"]),
        (DQN, "--exploration 0:nan", ["--exploration", "0 to 1"]),
        (DQN, "--learning_rate 0:1e-3,1e5:-1", ["--learning_rate", "0 to 1"]),
        (DQN, "--double", ["unknown flag --double", "--double_q"]),
        (DQN, "--seed 4294967296", ["--seed takes a number from 0 to 4294967295"]),
        (PPO, "--threads 100000", ["--threads takes a number from 1 to 1024, not 100000"]),
        (AC, "--threads 0", ["--threads takes a number from 1 to 1024"]),
        (PPO, "--batch_size 1000000000000", ["--batch_size 1000000000000", "GiB"]),
        (PG, "--env_name CartPole-v1 -b 1000000000000", ["--batch_size 1000000000000", "GiB"]),
        (AC, "--env_name CartPole-v1 -b 1000000000000", ["--batch_size 1000000000000", "GiB"]),
        (SAC, "--size 1000000000", ["do not fit in memory", "weights"]),
        (PG, "--env_name CartPole-v1 --hid 99999999999999999999", ["do not fit in memory"]),
        (DQN, "--env_name CartPole-v1 --size 1000000000000", ["do not fit in memory"]),
        (AC, "--env_name CartPole-v1 --n_layers 1000000000000", ["--n_layers", "from 1 to 1000"]),
        ("run_hw6", "--members td3:size=1000000000", ["do not fit in memory"]),
        (DQN, "--seed one", ["--seed", "whole number"]),
        (DQN, "--resume nowhere", ["nowhere", "not a run directory"]),
        (DQN, "--exp_name a/b", ["--exp_name"]),
        (DQN, "--buffer_size 10 --batch_size 32", ["--buffer_size 10", "--batch_size 32"]),
        (DQN, "--num_timesteps 1.5", ["--num_timesteps", "whole number"]),
        (DQN, "--seed -1", ["--seed takes a number from 0 to 4294967295, not -1"]),
        (AC, "-n 0", ["--n_iter", "above 0"]),
        (AC, "-lr nan", ["--learning_rate"]),
        (AC, "-b 1000 -tb 500", ["-tb 500", "-b 1000"]),
        (AC, "--env_name HalfCheetah", ["HalfCheetah"]),
        (PG, "--nn_baseline --gae_lambda 1.5", ["--gae_lambda", "0 to 1"]),
        (PG, "--nn_baseline --gae_lambda -0.1", ["--gae_lambda", "0 to 1"]),
        (PG, "-rtg --gae_lambda 0.9", ["--gae_lambda 0.9", "add --nn_baseline"]),
        (PG, "--nn_baseline -na", ["--nn_baseline", "-na", "one time only"]),
        (PG, "--use_baseline -dsa", ["--use_baseline", "-dsa", "one time only"]),
        (PG, "-na -dsa", ["-dsa", "-na", "one time only"]),
        (PG, "--env_name MsPacman-v0", ["images", "run_hw3_dqn"]),
        (PG, "--action_noise_std 0.1", ["--action_noise_std", "CartPole-v0", "not continuous"]),
        (PG, "--action_noise_std -1", ["--action_noise_std", "0 upward"]),
        (PPO, "--gae_lambda 2", ["--gae_lambda", "0 to 1"]),
        (PPO, "-mb 100 -b 50", ["-mb 100", "-b 50"]),
        (PPO, "-mb 1", ["-mb 1:", "nothing is learned", "2 or more"]),
        (TRPO, "-mb 1 -b 1", ["-b 1:", "nothing is learned", "2 or more"]),
        (PG, "--nn_baseline --gae_lambda 0.9", ["--gae_lambda 0.9", "whole returns", "add -rtg"]),
        (DQN, "--grad_norm_clipping 0", ["--grad_value_clipping", "above 0"]),
        (PPO, "--clip_ratio 0", ["--clip_ratio", "above 0"]),
        (TRPO, "--gae_lambda -1", ["--gae_lambda", "0 to 1"]),
        (TRPO, "--max_kl 0", ["--max_kl", "above 0"]),
        (TRPO, "--line_search_shrink 1", ["--line_search_shrink", "0.01 to 0.99"]),
        (TRPO, "--env_name MsPacman-v0", ["images", "run_hw3_dqn"]),
        (PG, "-bgs 0", ["--baseline_gradient_steps", "above 0"]),
        (DDPG, "--env_name CartPole-v1", ["discrete actions", "run_hw3_dqn"]),
        (SAC, "--env_name MsPacman-v0", ["discrete actions", "run_hw3_dqn"]),
        (TD3, "--env_name Unbounded-v0", ["without bounds", "run_hw3_actor_critic"]),
        (SAC, "--buffer_size 10 --batch_size 32", ["--buffer_size 10", "--batch_size 32"]),
        (SAC, "--hid 64,fast", ["--hid", "64,fast"]),
        (SAC, "--hid [64,0]", ["--hid", "[64,0]"]),
        (SAC, "--hid __import__('os')", ["--hid", "__import__"]),
        (TD3, "--hid 64,32 -l 2", ["--hid", "leave -l and -s out"]),
        (TD3, "--exploration_noise -0.1", ["--exploration_noise", "0 upward"]),
        (TD3, "--policy_delay 0", ["--policy_delay", "above 0"]),
        (DDPG, "--tau 1.5", ["--tau", "0 to 1"]),
        (DDPG, "--learning_rate 0", ["--learning_rate", "above 0"]),
        (SAC, "--temperature -1", ["--temperature", "above 0"]),
        (SAC, "--q_backup triple", ["--q_backup", "single, double, clipped"]),
        (DDPG, "--start_steps -1", ["--start_steps", "0 upward"]),
        ("run_hw6", "--members ppo", ["--members ppo", "present policy"]),
        ("run_hw6", "--members spo", ["--members takes", "spo"]),
        ("run_hw6", "--members td3:speed=1", ["td3:speed=1", "no setting"]),
        ("run_hw6", "--members td3:seed=2", ["seed=2", "no setting"]),
        ("run_hw6", "--members td3:learning_rate=0", ["--learning_rate", "above 0"]),
        ("run_hw6", "--members td3,dqn", ["discrete", "continuous"]),
        ("run_hw6", "--members " + ",".join(["td3"] * 9), ["9", "8"]),
        ("run_hw6", "--members td3:discount=2", ["--members td3:discount=2", "0 to 1"]),
        ("run_hw6", "--members td3:discount", ["write discount=...", "td3:discount"]),
        (
            "run_hw6",
            "--env_name CartPole-v1 --members dqn:double_q=true",
            ["write double_q,", "double_q=true"],
        ),
        (
            "run_hw6",
            "--env_name CartPole-v1 --members dqn:learning_rate=5",
            ["--members dqn:", "--learning_rate"],
        ),
        (
            "run_hw6",
            "--env_name CartPole-v1 --members dqn --hid 32,32",
            ["--hid", "dqn:n_layers=2:size=64"],
        ),
        (
            "run_hw6",
            "--env_name CartPole-v1 --members dqn --start_steps 9",
            ["--start_steps", "exploration"],
        ),
        (
            "run_hw6",
            "--env_name CartPole-v1 --members dqn:max_episode_steps=9",
            ["max_episode_steps", "all have the run's"],
        ),
        (
            "run_hw6",
            "--env_name CartPole-v1 --members dqn,dqn:frame_history_len=4",
            ["frame_history_len", "same"],
        ),
        ("run_hw6", "--members td3,td3:discount=1", ["discount is 1", "--time_limit"]),
        ("run_hw6", "--selector ucb2", ["--selector", "ucb1", "ucb2"]),
        ("run_hw6", "--selector d3rb(esbas,ucb1)", ["esbas", "alone"]),
        ("run_hw6", "--env_name CartPole-v1", ["discrete actions"]),
    ],
)
def test_refused_in_one_line(
    script: str,
    words: str,
    parts: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = complain(capsys, script, *words.split(), "--data_dir", str(tmp_path))
    assert line.startswith("error: ")
    assert all(part in line for part in parts), line
    assert not any(tmp_path.iterdir())  # nothing is left behind


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ("--exploration much", ["--exploration", "0 to 1", "much"]),
        ("--exploration 2", ["--exploration", "0 to 1"]),
        ("--alphas 0.1,2", ["--alphas", "0 to 1"]),
        ("--selector esbas(ucb1)", ["esbas", "alone"]),
        ("--out nowhere/a.jsonl", ["--out nowhere/a.jsonl", "cannot be written"]),
    ],
)
def test_the_grid_refuses_before_it_plays(
    words: str, parts: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    line = complain(capsys, "hw6_grid", *words.split(), "--episodes", "1", "--seeds", "1")
    assert all(part in line for part in parts), line


@pytest.mark.parametrize(
    ("script", "words", "figure"),
    [
        (DQN, "--env_name LunarLander-v3 --buffer_size 5000000000", "218.9 GiB"),  # 8 x 4 + 15
        (DQN, "--env_name MsPacman-v0 --buffer_size 1e10", "3,42"),
        (SAC, "--env_name Pendulum-v1 --buffer_size 6e9", "201.2 GiB"),  # 9 numbers of 4 bytes
        ("run_hw6", "--members td3,sac --buffer_size 6e9", "201.2 GiB"),  # one for both
        ("run_hw6", "--members td3,sac --own_experience --buffer_size 6e9", "402.3 GiB"),
        (
            "run_hw6",
            "--env_name CartPole-v1 --members dqn,dqn --buffer_size 8000000000",
            "231.0 GiB",
        ),
    ],
)
def test_a_memory_that_does_not_fit_is_refused_with_the_figure(
    script: str,
    words: str,
    figure: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ptu, "memory_of_machine", lambda: 24 * 2**30)
    line = complain(capsys, script, *words.split(), "--data_dir", str(tmp_path))
    assert figure in line and "24.0 GiB" in line and line.endswith(": lower --buffer_size")
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("script", [DQN, SAC])
def test_a_memory_that_cannot_be_allocated_is_one_line_too(
    script: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where the system does not say how much it has, NumPy finds out."""
    monkeypatch.setattr(ptu, "memory_of_machine", lambda: float("inf"))
    words = ["--env_name", {DQN: "LunarLander-v3", SAC: "Pendulum-v1"}[script]]
    words += ["--buffer_size", "20000000000000", "--data_dir", str(tmp_path)]
    line = complain(capsys, script, *words)
    assert "do not fit in memory (Unable to allocate" in line and "TiB" in line
    assert "smaller networks, batches or replay memory" in line


def test_the_machines_memory_is_known_here() -> None:
    assert 2**28 < ptu.memory_of_machine() < 2**50


def test_data_dir_that_is_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "data"
    path.write_text("")
    assert "File exists; give another folder" in complain(
        capsys, AC, *TINY_AC, "--data_dir", str(path)
    )


def test_folder_that_cannot_be_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(tmp_path / "data"))

    monkeypatch.setattr(Path, "mkdir", refuse)  # root may write anywhere: refuse by hand
    line = complain(capsys, AC, *TINY_AC, "--data_dir", str(tmp_path / "data"))
    assert "Permission denied" in line and str(tmp_path) in line


# TensorBoard's file cannot be flushed, and so not be closed, while the disk is full.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("module", ["logging.logger", "training.checkpoint"])
@pytest.mark.slow
def test_disk_that_fills_up(
    module: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def fill(trainer, itr, last, paths, policy):
        if itr == 1:  # the first row and the first checkpoint are written by now
            monkeypatch.setattr(f"cs285.infrastructure.{module}.os.fsync", full)
        return real(trainer, itr, last, paths, policy)

    real = RL_Trainer.perform_logging
    monkeypatch.setattr(RL_Trainer, "perform_logging", fill)
    words = ["-n", "4", "-b", "30", "-eb", "30", "--scalar_log_freq", "1"]
    words += ["--checkpoint_secs", "1e-6", "--data_dir", str(tmp_path)]
    line = complain(capsys, AC, *words)
    assert "No space left" in line and "what was written stays" in line
    monkeypatch.undo()
    run_dir = only_run(tmp_path)
    assert len(read_log(run_dir)["Step"]) >= 1
    assert load_script(AC).main(["--resume", str(run_dir)]) == 0
    assert read_log(run_dir)["Step"].tolist() == [0, 1, 2, 3, 4]
    gc.collect()  # else a later test gets that warning


def test_data_dir_that_cannot_be_made(capsys: pytest.CaptureFixture[str]) -> None:
    for script in (DQN, AC):
        line = complain(capsys, script, "--env_name", "CartPole-v0", "--data_dir", "/proc/foo")
        assert "--data_dir /proc/foo: " in line and "give another folder" in line


def test_a_missing_package_leaves_no_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    for name in [name for name in sys.modules if name.startswith("gymnasium.envs.mujoco")]:
        monkeypatch.delitem(sys.modules, name)
    words = ["--env_name", "HalfCheetah-v2", "--data_dir", str(tmp_path / "new" / "data")]
    assert "[mujoco]" in complain(capsys, AC, *words)
    assert not any(tmp_path.iterdir())


def test_a_run_that_has_logged_stays_when_it_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_later(trainer, itr, *rest):
        if itr == 1:
            raise ValueError("a bug")
        return real(trainer, itr, *rest)

    real = RL_Trainer.perform_logging
    monkeypatch.setattr(RL_Trainer, "perform_logging", fail_later)
    words = [*TINY_AC, "--scalar_log_freq", "1", "--data_dir", str(tmp_path)]
    with pytest.raises(ValueError, match="a bug"):
        load_script(AC).main(words)
    assert read_log(only_run(tmp_path))["Step"].tolist() == [0, 1]


def handout(folder: Path) -> Path:
    """Copies scripts and cs285 as students get them: with every blank empty."""
    patterns = ("scripts/*.*", "cs285/**/*.py", "cs285/**/*.json")
    for path in [path for pattern in patterns for path in ROOT.glob(pattern)]:
        name = path.relative_to(ROOT).as_posix()
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(strip(path.read_text(), name))
    return folder


@pytest.mark.parametrize(
    ("script", "blank", "file"),
    [
        (DQN, "hw3.dqn.act", "cs285/agents/dqn_agent.py"),
        pytest.param(
            AC, "hw3.trainer.collect", "cs285/infrastructure/rl_trainer.py", marks=pytest.mark.slow
        ),
    ],
)
def test_an_empty_blank_is_one_line(script: str, blank: str, file: str, tmp_path: Path) -> None:
    tree = handout(tmp_path / "handout")
    words = [sys.executable, f"scripts/{script}.py", "--env_name", "CartPole-v0"]
    words += ["--eval_freq", "-1"]  # an evaluation would come first, and to other blanks
    env = {**os.environ, "PYTHONPATH": str(tree)}
    done = subprocess.run(words, cwd=tree, env=env, capture_output=True, text=True)
    assert done.returncode == 2 and done.stdout == ""
    (line,) = done.stderr.splitlines()
    number = int(line.partition(f"({file}, line ")[2].partition(")")[0])
    assert f'TODO("{blank}")' in (tree / file).read_text().splitlines()[number - 1]
    assert line.startswith(f"error: {blank} is not filled yet")
    assert "python -m autograder check hw3" in line
    assert not (tree / "data").exists()


@pytest.mark.parametrize("script", [DQN, AC, DDPG, TD3, SAC, "plot", "read_results", "enjoy"])
def test_a_typo_is_answered_before_torch_is_imported(script: str) -> None:
    code = f"""
import sys
sys.path[:0] = ["scripts"]
import {script}
assert {script}.main(["x", "--sed", "1"]) == 2
assert not {{"torch", "gymnasium", "matplotlib"}} & set(sys.modules)
"""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr.startswith("error: unknown flag --sed")


def test_missing_extra_names_its_pip_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    for name in [name for name in sys.modules if name.startswith("gymnasium.envs.mujoco")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(UserError, match=r'pip install -e "\.\[mujoco\]"'):
        make_env("HalfCheetah-v2")


def finished_run(tmp_path: Path) -> Path:
    assert load_script(AC).main([*TINY_AC, "--data_dir", str(tmp_path)]) == 0
    return only_run(tmp_path)


def test_resume_refuses_what_is_finished_or_foreign(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_dir = finished_run(tmp_path)
    capsys.readouterr()
    assert "is finished" in complain(capsys, AC, "--resume", str(run_dir))
    assert "run_hw3_actor_critic" in complain(capsys, DQN, "--resume", str(run_dir))
    (run_dir / "weights.safetensors").unlink()  # as if it were not finished
    line = complain(capsys, AC, "--resume", str(run_dir), "--seed", "7")
    assert "--seed" in line and "7" in line and "1" in line
    config = json.loads((run_dir / "config.json").read_text())
    config["settings"]["n_iter"] = "many"
    (run_dir / "config.json").write_text(json.dumps(config))
    assert "n_iter" in complain(capsys, AC, "--resume", str(run_dir))
    (run_dir / "config.json").write_text("{")
    assert "damaged" in complain(capsys, AC, "--resume", str(run_dir))


def test_enjoy_says_what_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "required: RUN_DIR" in complain(capsys, "enjoy")
    assert "did you mean --film" in complain(capsys, "enjoy", "x", "--flim")
    assert "not a run directory" in complain(capsys, "enjoy", str(tmp_path))
    run_dir = finished_run(tmp_path)
    capsys.readouterr()
    (run_dir / "policy.safetensors").write_bytes(b"torn")
    assert "damaged" in complain(capsys, "enjoy", str(run_dir))
    (run_dir / "policy.safetensors").unlink()
    assert "saved no policy" in complain(capsys, "enjoy", str(run_dir))


@pytest.mark.slow
def test_the_real_command_exits_with_2_and_no_traceback(tmp_path: Path) -> None:
    status, _, err = run("python scripts/run_hw3_dqn.py --env_name MsPackman-v0")
    assert status == 2
    assert err.startswith("error: ") and err.count("\n") == 1

"""How a run ends before its time: in one line, with its last good checkpoint, and closed."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import safetensors.numpy
import torch
from gymnasium.envs.classic_control import CartPoleEnv

from cs285.agents.ac_agent import ACAgent
from cs285.agents.off_policy_agent import OffPolicyAgent
from cs285.infrastructure.base.config import read_config_json
from cs285.infrastructure.base.errors import TaskError
from cs285.infrastructure.logging.logger import read_log
from cs285.infrastructure.rl_trainer import RL_Trainer
from cs285.infrastructure.training import run_folder
from tests.running import ROOT, assert_same_run, load_script, only_run

pytestmark = pytest.mark.slow  # each of its tests starts whole runs

AC, SAC, DQN = "run_hw3_actor_critic", "run_hw4_sac", "run_hw3_dqn"
OFTEN = ["--checkpoint_secs", "1e-6", "--exp_name", "x"]
TINY_AC = ["--env_name", "CartPole-v1", "-n", "6", "-b", "60", "-eb", "30", *OFTEN]
TINY_AC += ["--scalar_log_freq", "1"]
TINY_SAC = ["--env_name", "Pendulum-v1", "--num_timesteps", "40", "--hid", "8", "-b", "4"]
TINY_SAC += ["--learning_starts", "10", "--start_steps", "10", "--eval_freq", "20"]
TINY_SAC += ["--eval_episodes", "1", "--ep_len", "15", "--scalar_log_freq", "10"]


class Failing(CartPoleEnv):
    """Reports an error of its own after so many steps; counts who is open."""

    steps, fails_at, error = 0, 10**9, TaskError("step() raised ZeroDivisionError: a bug")
    is_open: set[int] = set()

    def __init__(self) -> None:
        super().__init__()
        self.is_open.add(id(self))

    def step(self, action: Any) -> Any:
        Failing.steps += 1
        if Failing.steps == Failing.fails_at:
            raise Failing.error
        return super().step(action)

    def close(self) -> None:
        self.is_open.discard(id(self))


gym.register("Failing-v0", Failing, disable_env_checker=True)


@pytest.fixture(autouse=True)
def saves_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_folder, "SAVING_SHARE", 1e9)
    monkeypatch.setattr(Failing, "steps", 0)
    # A process of parallel pytest has none of its own.
    monkeypatch.setattr(sys, "argv", ["scripts/run.py"])


def end(capsys: pytest.CaptureFixture[str], script: str, *words: str) -> str:
    """Runs a script that must end with status 2; returns its one line."""
    capsys.readouterr()
    assert load_script(script).main(list(words)) == 2
    err = capsys.readouterr().err
    assert "Traceback" not in err
    (line,) = [line for line in err.splitlines() if line.startswith("error: ")]
    return line


def all_finite(path: Path) -> bool:
    return all(np.isfinite(array).all() for array in safetensors.numpy.load_file(path).values())


# ---------------------------------------------------------------- its curve


def rows_drawn(
    monkeypatch: pytest.MonkeyPatch, how: str, tmp_path: Path
) -> tuple[list[int], int, int]:
    """Ends a run in its fifth iteration; returns rows at each drawing, those of the log, status."""
    drawn: list[int] = []
    draw, real, calls = run_folder.draw_learning_curve, ACAgent.train, []

    def note(folder: Path) -> Any:
        drawn.append(len(read_log(folder)["Step"]))
        return draw(folder)

    def train(agent: Any, *batch: Any) -> Any:
        calls.append(0)
        if len(calls) == 5:
            if how == "stop file":
                (only_run(tmp_path) / "stop").touch()
            elif how == "task":
                Failing.fails_at = Failing.steps + 1
            elif how == "nan":
                return {"Critic_Loss": float("nan")}
            else:
                signal.raise_signal(getattr(signal, how))
        return real(agent, *batch)

    monkeypatch.setattr(run_folder, "SAVING_SHARE", 1e-9)  # one picture, then hours of pause
    monkeypatch.setattr(run_folder, "draw_learning_curve", note)
    monkeypatch.setattr(ACAgent, "train", train)
    words = ["--env_name", "Failing-v0", *TINY_AC[2:], "-n", "9", "--data_dir", str(tmp_path)]
    status = load_script(AC).main(words)
    return drawn, len(read_log(only_run(tmp_path))["Step"]), status


@pytest.mark.parametrize(
    ("how", "status"),
    [("stop file", 0), ("SIGINT", 130), ("SIGTERM", 130), ("task", 2), ("nan", 2)],
)
def test_the_curve_shows_the_whole_log_however_a_run_ends(
    how: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Failing, "fails_at", 10**9)
    drawn, rows, ended = rows_drawn(monkeypatch, how, tmp_path)
    assert ended == status and rows >= 4
    assert drawn[0] < rows and drawn[-1] == rows and len(drawn) == 2


# ---------------------------------------------------------------- numbers that are none


def test_a_loss_that_is_nan_ends_the_run_at_that_step(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = OffPolicyAgent.train

    def train(agent: Any, *batch: Any) -> Any:
        if agent.t == 24:  # in step 25
            with torch.no_grad():
                next(iter(agent.critic.q_net.parameters())).fill_(torch.nan)
        return real(agent, *batch)

    monkeypatch.setattr(OffPolicyAgent, "train", train)
    line = end(capsys, SAC, *TINY_SAC, *OFTEN, "--data_dir", str(tmp_path))
    assert "after 25 steps in Pendulum-v1: Critic_Loss is nan; the last checkpoint stays" in line
    run_dir = only_run(tmp_path)
    assert line.endswith(f"--resume {run_dir}")
    assert all_finite(run_dir / "policy.safetensors")
    (*_, last) = sorted((run_dir / "checkpoints").glob("step_*"))
    assert last.name == "step_000000024"
    assert all_finite(last / "arrays.safetensors")
    assert not (run_dir / "weights.safetensors").exists()  # it is not finished


@pytest.mark.parametrize("when", ["at the end", "before a checkpoint"])
def test_broken_weights_are_never_written(
    when: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loss is one before the step, so the last step's may be right and its weights none."""
    real, calls = ACAgent.train, []

    def train(agent: Any, *batch: Any) -> Any:
        log = real(agent, *batch)
        calls.append(0)
        if len(calls) == (6 if when == "at the end" else 4):
            with torch.no_grad():
                agent.actor.logits_na[0].weight[0, 0] = torch.inf
        return log

    monkeypatch.setattr(ACAgent, "train", train)
    flags = [*TINY_AC, "--eval_freq", "-1", "--data_dir", str(tmp_path)]
    line = end(capsys, AC, *flags)
    assert "CartPole-v1: 1 of 256 weights in actor.logits_na.0.weight are nan or infinite" in line
    run_dir = only_run(tmp_path)
    for path in run_dir.rglob("*.safetensors"):
        assert all_finite(path), path
    monkeypatch.undo()
    monkeypatch.setattr(run_folder, "SAVING_SHARE", 1e9)
    assert load_script(AC).main(["--resume", str(run_dir)]) == 0
    assert read_log(run_dir)["Step"].tolist() == [1, 2, 3, 4, 5, 6]


def test_nan_before_anything_is_saved_leaves_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ACAgent, "train", lambda *_: {"Critic_Loss": float("inf")})
    seldom = ("--checkpoint_secs", "1e3", "--eval_freq", "-1")
    line = end(capsys, AC, *TINY_AC, *seldom, "--data_dir", str(tmp_path))
    assert "Critic_Loss is inf; nothing was saved yet" in line
    assert not any(tmp_path.iterdir())


def test_what_is_not_measured_yet_may_be_nan(tmp_path: Path) -> None:
    run_folder.RunFolder(tmp_path, {"checkpoint_secs": 1.0}).check_losses(
        {"Explained_Variance": float("nan"), "Actor_Loss": 0.0, "Training Loss": 1e30}
    )


# ---------------------------------------------------------------- a task that fails


@pytest.mark.parametrize(("script", "flags"), [(AC, TINY_AC), (DQN, None)])
def test_a_task_that_fails_is_one_line_and_can_be_resumed(
    script: str,
    flags: list[str] | None,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = [*(flags or ["--num_timesteps", "120", "--learning_starts", "50", *OFTEN])]
    words += ["--env_name", "Failing-v0", "--data_dir", str(tmp_path / "with space")]
    monkeypatch.setattr(Failing, "fails_at", 250 if script == AC else 100)
    line = end(capsys, script, *words)
    assert " steps in Failing-v0: step() raised ZeroDivisionError: a bug; the last " in line
    assert not Failing.is_open
    run_dir = only_run(tmp_path / "with space")
    monkeypatch.setattr(Failing, "fails_at", 10**9)
    command = shlex.split(line.partition("go on with: ")[2])  # as a shell reads it
    assert command[0] == "python" and command[2:] == ["--resume", str(run_dir)]
    assert load_script(script).main(command[2:]) == 0
    assert not Failing.is_open


def test_ones_own_error_shows_where_it_is_and_closes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def train(*_: Any) -> Any:
        raise ZeroDivisionError("a bug of the student's")

    monkeypatch.setattr(ACAgent, "train", train)
    words = [*TINY_AC, "--env_name", "Failing-v0", "--data_dir", str(tmp_path)]
    with pytest.raises(ZeroDivisionError):
        load_script(AC).main(words)
    assert not Failing.is_open


def test_an_agent_that_cannot_be_built_closes_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise ZeroDivisionError("a bug of the student's")

    monkeypatch.setattr(ACAgent, "__init__", refuse)
    with pytest.raises(ZeroDivisionError):
        load_script(AC).main([*TINY_AC, "--env_name", "Failing-v0", "--data_dir", str(tmp_path)])
    assert not Failing.is_open and not any(tmp_path.iterdir())


def test_a_memory_that_is_too_small_closes_too(tmp_path: Path) -> None:
    words = ["--env_name", "Failing-v0", "--buffer_size", str(10**15), "--data_dir", str(tmp_path)]
    assert load_script(DQN).main(words) == 2
    assert not Failing.is_open and not any(tmp_path.iterdir())


def test_a_run_that_is_older_than_a_flag_goes_on(tmp_path: Path) -> None:
    words = [*TINY_AC, "-n", "9", "--data_dir", str(tmp_path)]
    assert load_script(AC).main(words) == 0
    folder = only_run(tmp_path)
    document = read_config_json(folder)
    del document["settings"]["reward_scale"]  # as if it were a flag of a later version
    (folder / "config.json").write_text(json.dumps(document))
    assert load_script(AC).main(["--resume", str(folder), "-n", "12"]) == 0
    assert read_log(folder)["Step"][-1] == 12


# ---------------------------------------------------------------- a disk that takes no more

LIMITED = """
import resource, sys
sys.path.insert(0, "scripts")
import {script}
from cs285.infrastructure.training import run_folder
from cs285.infrastructure.rl_trainer import RL_Trainer
run_folder.SAVING_SHARE = 1e9
real = RL_Trainer.perform_logging
def log(trainer, itr, *rest):
    if itr == {when}:
        resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {most}))
    return real(trainer, itr, *rest)
RL_Trainer.perform_logging = log
sys.argv[0] = "scripts/{script}.py"
sys.exit({script}.main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    ("most", "what"),
    [
        (0, "log"),
        pytest.param(3_000, "weights of the policy", marks=pytest.mark.slow),
        pytest.param(30_000, "checkpoint", marks=pytest.mark.slow),
    ],
)
def test_a_disk_that_takes_no_more_is_one_line(most: int, what: str, tmp_path: Path) -> None:
    """A limit on the size of files stops writing as a full disk does, in the system itself."""
    code = LIMITED.format(script=AC, when=2, most=most)
    words = [*TINY_AC, "--eval_freq", "-1", "--data_dir", str(tmp_path / "a b")]
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    run_dir = only_run(tmp_path / "a b")
    assert line == (
        f"error: {run_dir}: File too large; what was written stays; the last checkpoint stays; "
        f"go on with: python scripts/{AC}.py --resume '{run_dir}'"
    )
    for path in run_dir.rglob("*.safetensors"):
        assert all_finite(path), path
    assert load_script(AC).main(["--resume", str(run_dir)]) == 0
    assert read_log(run_dir)["Step"].tolist() == [1, 2, 3, 4, 5, 6]


# ---------------------------------------------------------------- a stop, and going on


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_file_or_a_folder_stops_a_run(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = RL_Trainer.perform_logging

    def log(trainer: Any, itr: int, *rest: Any) -> None:
        if itr == 1:
            stop = trainer.run_dir / "stop"
            stop.touch() if kind == "file" else stop.mkdir()
            trainer.run.next_look = 0.0
        real(trainer, itr, *rest)

    monkeypatch.setattr(RL_Trainer, "perform_logging", log)
    assert load_script(AC).main([*TINY_AC, "--data_dir", str(tmp_path)]) == 0
    run_dir = only_run(tmp_path)
    assert f"stopped by {run_dir / 'stop'}; go on with: " in capsys.readouterr().err
    assert not (run_dir / "stop").exists()
    monkeypatch.setattr(RL_Trainer, "perform_logging", real)
    assert load_script(AC).main(["--resume", str(run_dir)]) == 0
    assert read_log(run_dir)["Step"].tolist() == [0, 1, 2, 3, 4, 5, 6]


def test_a_folder_with_files_in_it_is_not_removed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = RL_Trainer.perform_logging

    def log(trainer: Any, itr: int, *rest: Any) -> None:
        (trainer.run_dir / "stop").mkdir(exist_ok=True)
        (trainer.run_dir / "stop" / "note.txt").touch()
        trainer.run.next_look = 0.0
        real(trainer, itr, *rest)

    monkeypatch.setattr(RL_Trainer, "perform_logging", log)
    assert load_script(AC).main([*TINY_AC, "--data_dir", str(tmp_path)]) == 0
    stop = only_run(tmp_path) / "stop"
    assert f"{stop} is not empty: remove it; go on with: " in capsys.readouterr().err
    assert (stop / "note.txt").exists()


LONGER: dict[str, tuple[str, list[str], str, str, str]] = {
    "actor-critic": (AC, [*TINY_AC, "--checkpoint_secs", "60"], "-n", "3", "6"),
    "SAC": (SAC, [*TINY_SAC], "--num_timesteps", "20", "40"),
    "PPO": (
        "run_hw5_ppo",
        ["-b", "64", "-mb", "32", "-eb", "30", "--normalize_observations"],
        "-n",
        "2",
        "4",
    ),
    "DQN": (
        DQN,
        ["--env_name", "CartPole-v1", "--learning_starts", "50", "--scalar_log_freq", "60"],
        "--num_timesteps",
        "60",
        "120",
    ),
}


@pytest.mark.parametrize("name", LONGER)
def test_a_finished_run_goes_on_as_one_that_was_longer_from_the_start(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script, words, flag, short, long = LONGER[name]
    main = load_script(script).main
    for folder, length in (("short", short), ("long", long)):
        given = [*words, flag, length, "--data_dir", str(tmp_path / folder)]
        monkeypatch.setattr(sys, "argv", [f"{script}.py", *given])
        assert main(given) == 0
    run_dir = only_run(tmp_path / "short")
    assert len(list((run_dir / "checkpoints").glob("step_*"))) == 1
    assert main(["--resume", str(run_dir), flag, long]) == 0
    assert_same_run(only_run(tmp_path / "long"), run_dir)
    document = read_config_json(run_dir)
    setting = "n_iter" if flag == "-n" else "num_timesteps"
    assert document["settings"][setting] == int(long)
    assert document["lengthened"] == [{"from": {setting: int(short)}, "to": {setting: int(long)}}]
    assert f" {flag} {short} " in document["command"]  # how it was begun


def test_who_cannot_become_longer_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    main = load_script(AC).main
    assert main([*TINY_AC, "-n", "2", "--data_dir", str(tmp_path)]) == 0
    run_dir = only_run(tmp_path)
    before = (run_dir / "config.json").read_text()
    line = end(capsys, AC, "--resume", str(run_dir))
    assert "is finished" in line and "--n_iter above 2" in line
    assert "--n_iter is 1" in end(capsys, AC, "--resume", str(run_dir), "-n", "1")
    assert "--seed is 5" in end(capsys, AC, "--resume", str(run_dir), "-n", "3", "--seed", "5")
    (run_dir / "run.json").write_text("{}")
    assert "one of a study's" in end(capsys, AC, "--resume", str(run_dir), "-n", "3")
    (run_dir / "run.json").unlink()
    assert (run_dir / "config.json").read_text() == before
    assert (run_dir / "weights.safetensors").exists()


def test_a_run_that_anneals_over_its_length_stays_as_long(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["-b", "64", "-mb", "32", "-eb", "30", "-n", "2", "--anneal"]
    assert load_script("run_hw5_ppo").main([*words, "--data_dir", str(tmp_path)]) == 0
    line = end(capsys, "run_hw5_ppo", "--resume", str(only_run(tmp_path)), "-n", "4")
    assert "begun with --anneal, which depends on the length of the run" in line


@pytest.mark.parametrize("keep", [False, True])
def test_a_large_checkpoint_stays_only_if_asked(
    keep: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_folder, "MOST_KEPT", 1000)
    flags = [*TINY_AC, "-n", "2", *(["--keep_checkpoint"] if keep else [])]
    assert load_script(AC).main([*flags, "--data_dir", str(tmp_path)]) == 0
    run_dir = only_run(tmp_path)
    assert ("--keep_checkpoint keeps it" in capsys.readouterr().err) != keep
    assert (run_dir / "checkpoints").exists() == keep
    assert (run_dir / "weights.safetensors").exists()
    if keep:
        assert load_script(AC).main(["--resume", str(run_dir), "-n", "3"]) == 0
    else:
        line = end(capsys, AC, "--resume", str(run_dir), "-n", "3")
        assert "is finished, and its last checkpoint is not kept" in line


def test_a_finished_run_of_an_older_version_counts_as_finished(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert load_script(AC).main([*TINY_AC, "-n", "2", "--data_dir", str(tmp_path)]) == 0
    run_dir = only_run(tmp_path)
    (run_dir / "weights.safetensors").unlink()
    assert json.loads((run_dir / "config.json").read_text())["settings"]["n_iter"] == 2
    assert load_script(AC).main(["--resume", str(run_dir)]) == 0  # from its last checkpoint
    (run_dir / "weights.safetensors").unlink()
    for path in sorted((run_dir / "checkpoints").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    (run_dir / "checkpoints").rmdir()
    assert "is finished" in end(capsys, AC, "--resume", str(run_dir))

"""Tasks that a tester wrote who had not read the code: each trains, or is refused in one line."""

from __future__ import annotations

import multiprocessing
import sys
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete

from cs285.infrastructure.training.open_run import LOCK, alone_in
from tests.running import load_script, only_run

DQN = "run_hw3_dqn"
WORDS = {
    DQN: "--num_timesteps 30 --learning_starts 10 --eval_episodes 1 --eval_freq 30",
    "run_hw4_ddpg": "--num_timesteps 30 --learning_starts 10 --start_steps 10 -b 8 --hid 8 "
    "--eval_episodes 1",
    "run_hw5_ppo": "-n 1 -b 20 -mb 10 --eval_episodes 1",
}


class Task(gym.Env[Any, Any]):
    """Ends after ten steps; a subclass or a setting makes it odd."""

    def __init__(self, low: float = -1.0, high: float = 1.0, size: int = 3, choices: int = 0):
        self.observation_space = Box(-1.0, 1.0, (size,), np.float32)
        self.action_space = (
            Discrete(choices)
            if choices
            else Box(np.array([-1.0, low]), np.array([1.0, high]), dtype=np.float64)
        )
        self.t = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.t = 0
        return self.observation_space.sample(), self.info()

    def step(self, action: Any) -> Any:
        self.t += 1
        return self.observation_space.sample(), 1.0, self.ended(), False, self.info()

    def ended(self) -> Any:
        return self.t == 10

    def info(self) -> Any:
        return {}


class NoInfo(Task):
    def info(self) -> Any:
        return None if self.t else {}


class Exits(Task):
    def ended(self) -> Any:
        if self.t == 5:
            sys.exit(3)
        return False


class Text(Task):
    def ended(self) -> Any:
        return "False"


class Huge(Task):
    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.observation_space = Box(-np.inf, np.inf, (3,), np.float64)

    def step(self, action: Any) -> Any:
        _, *rest = super().step(action)
        return np.full(3, 1e200), *rest


class CannotClose(Task):
    def close(self) -> None:
        raise RuntimeError("the window is gone")


class HasStatistics(Task):
    """Its information has an "episode", as that of a task wrapped for statistics already."""

    def info(self) -> Any:
        return {"episode": {"r": 0.0, "l": 1, "t": 0.0}}


for kind in (Task, NoInfo, Exits, Text, Huge, CannotClose, HasStatistics):
    gym.register(f"{kind.__name__}-v0", kind, kwargs={"choices": 2})
    gym.register(f"{kind.__name__}Box-v0", kind)
gym.register("OneValue-v0", Task, kwargs={"low": 0.5, "high": 0.5})
gym.register("Wide-v0", Task, kwargs={"low": -3e38, "high": 3e38})
gym.register("Equal32-v0", Task, kwargs={"low": 1e9, "high": 1e9 + 1})
gym.register("Empty-v0", Task, kwargs={"size": 0, "choices": 2})


def ended(script: str, env_name: str, folder: Path, capsys: Any, *more: str) -> tuple[int, str]:
    """Runs a script; returns its status, and its line if that is 2."""
    words = [*WORDS[script].split(), "--env_name", env_name, "--data_dir", str(folder), *more]
    status = load_script(script).main(words)
    lines = [x for x in capsys.readouterr().err.splitlines() if x.startswith("error: ")]
    assert len(lines) == (status == 2)
    return status, "".join(lines)


@pytest.mark.parametrize(
    ("script", "env_name", "part"),
    [
        ("run_hw4_ddpg", "OneValue-v0", "component 1 of the actions lies between 0.5 and 0.5"),
        ("run_hw4_ddpg", "Wide-v0", "cannot be scaled in float32"),
        ("run_hw4_ddpg", "Equal32-v0", "cannot be scaled in float32"),
        (DQN, "NoInfo-v0", "step returns None in place of a dict"),
        (DQN, "Exits-v0", "step raised SystemExit: 3"),
        (DQN, "Text-v0", "is the text 'False'"),
        (DQN, "Huge-v0", "is 1e+200, more than a float32 can be"),
        (DQN, "Empty-v0", "no vectors of one length"),
        ("run_hw5_ppo", "Empty-v0", "no vectors of one length"),
    ],
)
def test_it_is_refused(
    script: str, env_name: str, part: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, line = ended(script, env_name, tmp_path, capsys)
    assert status == 2 and part in line, line


@pytest.mark.parametrize(
    ("script", "env_name"),
    [
        ("run_hw5_ppo", "OneValue-v0"),
        ("run_hw5_ppo", "HasStatisticsBox-v0"),
        ("run_hw4_ddpg", "HasStatisticsBox-v0"),
        (DQN, "HasStatistics-v0"),
        (DQN, "CannotClose-v0"),
    ],
)
def test_it_trains(
    script: str, env_name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(script, env_name, tmp_path, capsys) == (0, "")
    assert (only_run(tmp_path) / "weights.safetensors").exists()


def test_a_nan_action_ends_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from cs285.policies.deterministic_policy import DeterministicActor

    monkeypatch.setattr(
        DeterministicActor, "get_action", lambda self, obs: np.full((1, 2), np.nan, np.float32)
    )
    status, line = ended("run_hw4_ddpg", "TaskBox-v0", tmp_path, capsys, "--eval_freq", "-1")
    assert status == 2 and "the agent's action is [nan nan]" in line, line


def test_numbers_and_names_of_flags(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(DQN, "Task-v0", tmp_path, capsys, "--target_return", "-1e3")[0] == 0
    status, line = ended(DQN, "Task-v0", tmp_path, capsys, "--exp_name", "x" * 300)
    assert status == 2 and "shorten --exp_name" in line


def train_alone(run_dir: Path, begun: Any, end: Any) -> None:
    """Holds a run's folder, as a process that trains there does."""
    with alone_in(run_dir):
        begun.set()
        end.wait(60)


def test_two_processes_do_not_train_in_one_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stop_early = ("--target_return", "-1e3", "--num_timesteps", "60")
    assert ended(DQN, "Task-v0", tmp_path, capsys, *stop_early)[0] == 0
    run_dir = only_run(tmp_path)
    before = (run_dir / "log.csv").read_bytes()
    context = multiprocessing.get_context("spawn")
    begun, end = context.Event(), context.Event()
    other = context.Process(target=train_alone, args=(run_dir, begun, end))
    other.start()
    assert begun.wait(60)
    assert load_script(DQN).main(["--resume", str(run_dir)]) == 2
    assert "another process trains there now" in capsys.readouterr().err
    assert (run_dir / "log.csv").read_bytes() == before
    end.set()
    other.join()
    assert load_script(DQN).main(["--resume", str(run_dir)]) == 0
    assert not (run_dir / LOCK).exists()

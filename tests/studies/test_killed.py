"""A grid that is killed goes on where it was: the same results, and nothing is run twice."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from studies.plan import finished
from tests.running import ROOT, assert_same_run

WHOLE = "CS285_WHOLE_STUDY"  # in the environment: 2 x 2 x 3 runs
VALUES = ["--hid[h]", "[8]", "[16,8]", "--clip_ratio", "0.1", "0.2", "--seed", "0", "10", "20"]
FEWER = ["--hid[h]", "[8]", "[16,8]", "--seed", "0", "10"]
TWO_RUNS = ["--hid[h]", "[8]", "[16,8]", "--seed", "0"]
TINY = "--epochs 9 --steps_per_epoch 400 -mb 50 -eb 100 --checkpoint_secs 0.2 --cpu 2".split()
KILLS = 2


def command(data: Path, *more: str, grid: Sequence[str] = ()) -> list[str]:
    grid = grid or (VALUES if WHOLE in os.environ else FEWER)
    start = [sys.executable, "scripts/run.py", "ppo", "--env", "CartPole-v1", "--exp_name", "grid"]
    return [*start, *grid, *TINY, "--data_dir", str(data), *more]


def runs_in(data: Path) -> list[Path]:
    return sorted(path.parent for path in data.glob("grid/*/run.json"))


def begin(words: Sequence[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(words, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def kill_at_random(words: Sequence[str], data: Path, rng: random.Random) -> None:
    """Begins a command and kills it while at least one of its runs is under way."""
    process = begin(words)
    deadline = time.monotonic() + 120
    while not any((run / "log.csv").exists() and not finished(run) for run in runs_in(data)):
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(rng.uniform(0.0, 2.0))
    process.send_signal(signal.SIGKILL)
    process.wait()


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["local", "ray"])
def test_a_grid_killed_twice_ends_as_one_left_alone(tmp_path: Path, engine: str) -> None:
    if engine == "ray":
        pytest.importorskip("ray", reason="needs Ray, which is not installed")
    rng = random.Random(0)
    killed = command(tmp_path / "killed", "--engine", engine)
    for _ in range(KILLS):
        kill_at_random(killed, tmp_path / "killed", rng)
    done = {run: (run / "log.csv").stat().st_mtime_ns for run in runs_in(tmp_path / "killed")
            if finished(run)}  # fmt: skip
    assert begin(killed).wait(timeout=600) == 0
    assert {run: (run / "log.csv").stat().st_mtime_ns for run in done} == done, "run again"
    assert begin(command(tmp_path / "whole")).wait(timeout=600) == 0
    pairs = list(zip(runs_in(tmp_path / "killed"), runs_in(tmp_path / "whole"), strict=True))
    assert len(pairs) == (12 if WHOLE in os.environ else 4)
    for one, other in pairs:
        assert one.name == other.name
        assert_same_run(one, other)


@pytest.mark.slow
def test_a_run_that_ended_after_its_command_was_killed_counts_as_finished(tmp_path: Path) -> None:
    grid = command(tmp_path, grid=TWO_RUNS)
    assert begin(grid).wait(timeout=600) == 0
    first, second, *_ = runs_in(tmp_path)
    (first / "state").write_text("running")  # as a killed command leaves it
    shutil.rmtree(second)  # so that there is something to do
    assert begin(grid).wait(timeout=600) == 0
    assert (first / "state").read_text() == "finished"

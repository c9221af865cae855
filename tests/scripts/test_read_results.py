"""scripts/read_results.py: the numbers it takes from logs, and the tables."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts"))  # as python does for `python scripts/read_results.py`

import plot  # noqa: E402
import read_results  # noqa: E402

DQN = "Step,Train_EnvstepsSoFar,Train_AverageReturn,Train_BestReturn,TimeSinceStart\n"
AC = "Step,Train_EnvstepsSoFar,Train_AverageReturn,Eval_AverageReturn\n"


def make_run(parent: Path, exp_name: str, seed: int, log: str) -> Path:
    """Makes a run directory with the given text as its log."""
    run_dir = parent / f"hw3_{exp_name}_{seed}"
    run_dir.mkdir()
    settings = {"env_name": "LunarLander-v3", "exp_name": exp_name, "seed": seed}
    (run_dir / "config.json").write_text(json.dumps({"settings": settings}))
    (run_dir / "log.csv").write_text(log)
    return run_dir


def results_of(run_dir: Path) -> dict[str, float]:
    return read_results.read_results(plot.load_runs([str(run_dir)])[0])


def test_results_of_a_dqn_run(tmp_path: Path) -> None:
    rows = "10,10,nan,nan,0.5\n20,20,150.5,160.25,3600.0\n30,30,nan,nan,5400.0\n40,40,9"
    results = results_of(make_run(tmp_path, "q1", 1, DQN + rows))
    assert math.isnan(results.pop("Eval_AverageReturn"))
    assert results == {"steps": 30, "Train_AverageReturn": 150.5, "best": 160.25, "hours": 1.5}


def test_results_of_an_actor_critic_run(tmp_path: Path) -> None:
    results = results_of(make_run(tmp_path, "q4", 1, AC + "0,1000,1.0,7.0\n1,2010,2.0,5.0\n"))
    assert math.isnan(results.pop("hours"))
    best = {"best": 7.0, "Eval_AverageReturn": 5.0}
    assert results == {"steps": 2010, "Train_AverageReturn": 2.0, **best}


def test_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    final = {1: 100.0, 2: 110.0, 3: 150.0}  # mean 120, sample deviation sqrt(1400 / 2) = 26.46
    runs = [
        make_run(tmp_path, f"q2_{seed}", seed, DQN + f"500000,500000,{value},200.0,7200.0\n")
        for seed, value in final.items()
    ]
    alone = make_run(tmp_path, "q4", 1, AC + "0,1000,1.0,7.0\n")
    assert read_results.main([*map(str, runs), str(alone)]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    head = ["Train_AverageReturn", "Eval_AverageReturn", "best", "hours"]
    assert lines[0] == ["env", "exp", "seed", "steps", *head]
    assert lines[2] == ["LunarLander-v3", "q2", "1", "500,000", "100.0", "-", "200.0", "2.00"]
    assert lines[5] == ["LunarLander-v3", "q4", "1", "1,000", "1.0", "7.0", "7.0", "-"]
    spread = "500,000 \u00b1 0 120.0 \u00b1 26.5 - 200.0 \u00b1 0.0 2.00 \u00b1 0.00"
    assert lines[-1] == ["LunarLander-v3", "q2", "3", *spread.split()]
    assert set(lines[-2][1]) == {"-"}  # only q2: a single run has no spread to show


def test_refusals_are_one_clear_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_dir = make_run(tmp_path, "q2", 1, DQN)
    (none := tmp_path / "none").mkdir()
    for args, message in (
        ([str(tmp_path / "missing")], "is not a directory"),
        ([str(none)], "not a run directory"),
        ([str(run_dir)], "has no rows yet"),
    ):
        assert read_results.main(args) == 2
        captured = capsys.readouterr()
        assert captured.out == "" and captured.err.count("\n") == 1
        assert message in captured.err


def test_runs_as_a_script(tmp_path: Path) -> None:
    run_dir = make_run(tmp_path, "q2", 1, DQN + "10,10,1.0,2.0,3600.0\n")
    command = [sys.executable, str(ROOT / "scripts" / "read_results.py"), str(run_dir)]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")
    assert "q2" in result.stdout

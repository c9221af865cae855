"""Runs of homework 6 become lines of one file, a name and a seed once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.running import load_script

LOG = (
    "Step,Eval_AverageReturn,Train_AverageReturn,Regret,Plays_0,Plays_1,Best_Member,TimeSinceStart\n"
    "0,9.25,nan,0.0,0,0,1,0.1\n500,,18.34,37.86,3,4,1,1.0\n1000,120.0,{last},61.0,5,9,1,2.0\n"
)
CONFIG = {
    "script": "run_hw6",
    "command": "python scripts/run_hw6.py",
    "versions": {"torch": "2"},
    "settings": {"exp_name": "q2_ssbas", "seed": 4, "num_timesteps": 1000},
}


def run_folder(folder: Path, last: str) -> Path:
    folder.mkdir()
    (folder / "log.csv").write_text(LOG.format(last=last))
    (folder / "config.json").write_text(json.dumps(CONFIG))
    (folder / "weights.safetensors").touch()
    return folder


def test_a_portfolio_becomes_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    collect = load_script("../docs/results/collect")
    file = tmp_path / "hw6_runs.jsonl"
    other = {"run": "q2_ssbas", "seed": 1}
    file.write_text(json.dumps(other) + "\n")
    monkeypatch.setattr(collect, "PORTFOLIOS", file)
    for name, last in (("first", "20.0"), ("again", "24.42")):
        run = run_folder(tmp_path / name, last)
        monkeypatch.setattr("sys.argv", ["collect.py", str(run)])
        collect.main()
    kept, line = map(json.loads, file.read_text().splitlines())
    assert kept == other
    assert line["eval"] == [[0, 9.2], [1000, 120.0]]
    assert line["train"] == [[500, 18.3], [1000, 24.4]]  # the second one counts
    assert line["regret"] == [[0, 0.0], [500, 37.9], [1000, 61.0]]
    assert (line["plays"], line["best_member"], line["steps_per_second"]) == ([5, 9], 1, 500)

"""A run says which environment it was made in: LunarLander-v2 stands for a newer one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from cs285.infrastructure.base.config import read_config_json
from cs285.infrastructure.base.env_record import shown_settings
from cs285.infrastructure.logging import plotting
from tests.running import load_script, only_run

ASKED, MADE = "Pendulum-v0", "Pendulum-v1"


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    words = ["--env_name", ASKED, "-n", "2", "-b", "200", "-eb", "200", "--checkpoint_secs", "1e-6"]
    assert load_script("run_hw2").main([*words, "--data_dir", str(tmp_path)]) == 0
    return only_run(tmp_path)


def change(run_dir: Path, **fields: Any) -> None:
    """Changes config.json; None removes a field."""
    document = read_config_json(run_dir) | fields
    kept = {name: value for name, value in document.items() if value is not None}
    (run_dir / "config.json").write_text(json.dumps(kept))


def test_config_json_has_both_names(run_dir: Path) -> None:
    document = read_config_json(run_dir)
    assert (document["settings"]["env_name"], document["env_made"]) == (ASKED, MADE)


def test_plots_and_tables_show_the_one_that_was_made(
    run_dir: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    titles: list[str] = []
    real = plotting.new_axes
    monkeypatch.setattr(
        plotting, "new_axes", lambda title, *a: titles.append(title) or real(title, *a)
    )
    plotting.draw_learning_curve(run_dir)
    assert titles == [f"pg on {MADE}, seed 1"]
    capsys.readouterr()
    assert load_script("read_results").main([str(run_dir)]) == 0
    out = capsys.readouterr().out
    assert MADE in out and ASKED not in out


def test_runs_of_both_names_are_one_experiment(run_dir: Path, tmp_path: Path) -> None:
    words = ["--env_name", MADE, "-n", "2", "-b", "200", "-eb", "200", "--seed", "2"]
    assert load_script("run_hw2").main([*words, "--data_dir", str(tmp_path / "more")]) == 0
    experiments = load_script("experiments")
    groups = experiments.group_runs(
        experiments.load_runs([str(run_dir), str(only_run(tmp_path / "more"))])
    )
    assert [len(runs) for runs in groups.values()] == [2]


def test_a_run_of_an_older_version_shows_the_name_that_it_has(
    run_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(run_dir, env_made=None)
    assert shown_settings(read_config_json(run_dir))["env_name"] == ASKED
    assert load_script("read_results").main([str(run_dir)]) == 0
    assert ASKED in capsys.readouterr().out
    assert load_script("enjoy").main([str(run_dir), "-n", "1"]) == 0
    assert "note" not in capsys.readouterr().err


def test_a_policy_that_plays_elsewhere_is_noted(
    run_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(run_dir, env_made="Pendulum-v7")
    assert load_script("enjoy").main([str(run_dir), "-n", "1"]) == 0
    assert f"note: trained in Pendulum-v7, plays in {MADE}" in capsys.readouterr().err


def test_a_run_does_not_go_on_in_another_environment(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "data").mkdir()
    words = ["--env_name", ASKED, "-n", "9", "-b", "200", "-eb", "200", "--target_return=-1000000"]
    assert load_script("run_hw2").main([*words, "--data_dir", str(tmp_path / "data")]) == 0
    run_dir = only_run(tmp_path / "data")
    change(run_dir, env_made="Pendulum-v7")
    assert load_script("run_hw2").main(["--resume", str(run_dir)]) == 2
    assert "was begun in Pendulum-v7" in capsys.readouterr().err
    change(run_dir, env_made=None)  # as an older version left it
    assert load_script("run_hw2").main(["--resume", str(run_dir)]) == 0


def test_a_run_of_a_study_has_both_names_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A study gives each run the folder to write into, and begins it as any other."""
    words = ["vpg", "--env", ASKED, "-n", "9", "-b", "200", "-eb", "200", "--exp_name", "x"]
    stops = ["--target_return=-1000000"]  # so that the run has something left to do
    assert load_script("run").main([*words, *stops, "--data_dir", str(tmp_path)]) == 0
    run_dir = tmp_path / "x" / "x_s0"
    assert read_config_json(run_dir)["env_made"] == MADE
    change(run_dir, env_made="Pendulum-v7")
    assert load_script("run_hw2").main(["--resume", str(run_dir)]) == 2
    assert "was begun in Pendulum-v7" in capsys.readouterr().err


def test_a_run_that_ended_before_its_environment_was_made_gets_both_names_later(
    tmp_path: Path,
) -> None:
    """It was killed as soon as config.json was there: a resumed run, without a checkpoint."""
    words = ["--env_name", ASKED, "-n", "1", "-b", "200", "-eb", "200", "--data_dir", str(tmp_path)]
    assert load_script("run_hw2").main(words) == 0
    run_dir = only_run(tmp_path)
    change(run_dir, env_made=None)
    for path in run_dir.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != "config.json":
            path.unlink()
    assert load_script("run_hw2").main(["--resume", str(run_dir)]) == 0
    assert read_config_json(run_dir)["env_made"] == MADE

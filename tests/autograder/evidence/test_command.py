"""The command `runs`: its board, its JSON, its explanations, and wrong usage."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from autograder.__main__ import main
from autograder.evidence.judging import MISCONCEPTIONS
from tests.autograder.evidence.fabrications import more_steps


def command(data: Path, *more: str) -> int:
    return main(["runs", "hw3", str(data), *more])


def test_the_command_shows_a_board_and_writes_json(
    honest: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "report.json"
    assert command(honest, "--json", str(file)) == 1
    out = capsys.readouterr().out
    assert all(len(line) <= 80 and line.isascii() for line in out.splitlines())
    assert "runs.q4_10_10                 CartPole, 10 and 10         1 /  1  passed" in out
    assert "runs.q1                       DQN on Ms. Pac-Man          0 /  4  not handed in" in out
    found = json.loads(file.read_text())
    assert (found["score"], found["max_score"]) == (1, 20)


def test_the_command_explains_mistakes(
    run_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more_steps(run_folder)
    assert command(run_folder.parent) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert MISCONCEPTIONS["evidence.too_many_steps"].explanation in out
    assert "300 of at most 100 steps" in out


def test_bad_usage_of_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(tmp_path / "nowhere") == 2
    assert "is no folder; name the one that contains the run folders" in capsys.readouterr().err
    assert command(tmp_path, "--json", str(tmp_path / "nowhere" / "file.json")) == 2
    assert "cannot be written" in capsys.readouterr().err
    assert main(["runs", "hw9", str(tmp_path)]) == 2
    assert "no homework 'hw9'" in capsys.readouterr().err

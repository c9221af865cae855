"""`grade` refuses what it cannot use in one line, before anything is judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.__main__ import main
from autograder.base.text import UsageError
from autograder.commands import grade as the_command
from autograder.running.session import WorkerError
from tests.autograder.boxes import REASON, box_works
from tests.autograder.corpus import write

pytestmark = pytest.mark.skipif(not box_works(), reason=REASON)


def grade_command(folder: Path, book: Path) -> list[str]:
    return ["grade", "hw3", str(folder), "--out", str(book)]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (["--jobs", "0"], "--jobs 0"),
        (["--deadline", "tomorrow"], "--deadline 'tomorrow'"),
        (["--roster", "/nowhere.csv"], "/nowhere.csv: No such file"),
    ],
)
def test_bad_input(
    tmp_path: Path, change: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "in" / "ann", [])
    assert main([*grade_command(tmp_path / "in", tmp_path / "book"), *change]) == 2
    assert words in capsys.readouterr().err


def test_nothing_to_grade(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(grade_command(tmp_path, tmp_path / "book")) == 2
    assert "contains no submissions" in capsys.readouterr().err
    assert main(grade_command(tmp_path / "none", tmp_path / "book")) == 2
    assert "is no folder" in capsys.readouterr().err


@pytest.mark.parametrize(("seed", "lines"), [("0", 1), ("2", 1), ("4711", 0)])
def test_a_public_seed_has_a_warning(
    tmp_path: Path, seed: str, lines: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is graded here: the warning comes first."""
    command = grade_command(tmp_path, tmp_path / "book")
    assert main([*command, "--seed", seed]) == 2
    assert capsys.readouterr().err.count(f"--seed {seed} is public: handouts have") == lines


@pytest.mark.parametrize("deaths", [0, 1, 2])
def test_a_box_that_dies_is_tested_once_more(deaths: int, monkeypatch: pytest.MonkeyPatch) -> None:
    class Box:
        def close(self) -> None:
            closed.append(self)

    def open_walls(box: Box) -> list[str]:
        if len(closed) < deaths:
            raise WorkerError("it did not start")
        return []

    closed: list[Box] = []
    monkeypatch.setattr(the_command, "Sandbox", lambda _: Box())
    monkeypatch.setattr(the_command, "open_walls", open_walls)
    if deaths == 2:
        with pytest.raises(UsageError, match="nothing was run, for it did not start"):
            the_command.test_sandbox("hw3")
    else:
        the_command.test_sandbox("hw3")
    assert len(closed) == min(deaths + 1, 2)

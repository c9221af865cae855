"""`author` reports what is open, and certifies nothing that it did not judge."""

from __future__ import annotations

import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from autograder.__main__ import main
from autograder.authoring import distinguish, survivors, template, validate
from autograder.authoring.survivors import Judged, Survivor
from autograder.authoring.validate import question_of
from autograder.base.seen import Seen
from autograder.misconceptions.live_oracle import cached
from autograder.running.declared import load
from autograder.running.probing import Student

BLANK = "hw4.td3.targets"
SURVIVOR = Survivor("an id", "x -> y", "no training runs the lines that it changes")


@pytest.mark.parametrize(
    ("judged", "status", "words"),
    [
        (Judged(9, 9, [], 2), 0, "nothing open"),
        (Judged(0, 9, [], 0), 1, "no mutant was judged"),
        (Judged(9, 9, [SURVIVOR], 2), 1, "survives: an id: x -> y"),
        (Judged(5, 9, [], 2), 0, "nothing open, in"),
        (Judged(5, 9, [], 2), 0, "s; 4 mutants are not judged yet"),
    ],
)
def test_what_is_open_decides_the_status(
    judged: Judged,
    status: int,
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("autograder.commands.author.judge_mutants", lambda *_: judged)
    monkeypatch.setattr("autograder.commands.author.SEEDS", (0,))
    assert main(["author", BLANK]) == status
    assert words in capsys.readouterr().out


@pytest.mark.parametrize("blank", ["td3", "hw9.no.blank", "hw4.td3.no_such"])
def test_no_blank_is_one_line(blank: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["author", blank]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_probe_that_needs_another_blank_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = question_of(BLANK)
    assert asked
    assert not list(validate.alone(asked, 0))
    probe = load(f"autograder.{asked.probe}")

    def observe(student: Student, case: Any) -> dict[str, Any]:
        smoothed = student.module("agents.td3_agent").smoothed_action  # another blank of TD3
        return {"given": smoothed(torch.zeros(3, 2), 0.2, 0.5)}

    monkeypatch.setattr(probe, "observe", observe)
    first, second = validate.alone(asked, 0)
    assert "hw4.td3.smoothing" in first
    assert second.startswith("  replace")


def test_what_is_still_to_be_written_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = question_of(BLANK)
    assert asked
    assert not list(validate.unwritten(validate.file_of(asked)))
    monkeypatch.setattr(template, "HOMEWORKS", tmp_path)
    file = template.write_new("hw4.new.blank", "new", 5, "agents/td3_agent.py")
    tables = tomllib.loads(file.read_text())
    assert tables["probe"]["module"] == "agents.td3_agent" and tables["blank"]["points"] == 5
    lines = [line.partition(":")[0] for line in validate.unwritten(file)]
    assert lines == ["new_blank.toml"] * 11


def test_a_doubled_line_is_shown() -> None:
    point, mutation = (
        SimpleNamespace(code="a = 1\nb = 2"),
        SimpleNamespace(text="a = 1\na = 1\nb = 2"),
    )
    mutant = SimpleNamespace(point=point, mutation=mutation)
    assert survivors._change(mutant) == "nothing  ->  a = 1"


def test_a_record_of_two_misconceptions_is_reported() -> None:
    asked = question_of(BLANK)
    assert asked
    one, *others = cached(asked, 0, 1)
    other = next(seen for seen in others if seen.mistakes != one.mistakes)
    same = Seen(one.arrays, one.crashes, other.mistakes, other.choice)
    assert list(distinguish.alike(asked, [one, same])) == [(one, same)]
    assert not list(distinguish.alike(asked, [one, other]))

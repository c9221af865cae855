"""`author` reports what is open, and certifies nothing that it did not judge."""

from __future__ import annotations

import pytest

from autograder.__main__ import main
from autograder.authoring import distinguish
from autograder.authoring.survivors import Judged, Survivor
from autograder.authoring.validate import question_of
from autograder.misconceptions.live_oracle import cached

BLANK = "hw4.td3.targets"
SURVIVOR = Survivor("an id", "x -> y", "no training runs the lines that it changes")


@pytest.mark.parametrize(
    ("judged", "status", "words"),
    [
        (Judged(9, 9, [], 2), 0, "nothing open"),
        (Judged(0, 9, [], 0), 1, "no mutant was judged"),
        (Judged(9, 9, [SURVIVOR], 2), 1, "survives: an id: x -> y"),
        (Judged(5, 9, [], 2), 0, "judge the others with --seconds"),
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


def test_a_record_of_two_misconceptions_is_reported() -> None:
    asked = question_of(BLANK)
    assert asked
    one, *others = cached(asked, 0, 1)
    other = next(entry for entry in others if entry.misconceptions != one.misconceptions)
    same = other._replace(outcome=one.outcome)
    assert list(distinguish.alike(asked, [one, same])) == [(one, same)]
    assert not list(distinguish.alike(asked, [one, other]))

"""The last line of the board: the next empty blank, the next mistake, or what follows."""

from __future__ import annotations

import shlex
from functools import partial
from pathlib import Path

import pytest

from autograder.__main__ import main, parse
from autograder.base.checks import Check, checks, first_run, names, table_of
from autograder.base.results import BLANK, FAILED, GRADER_ERROR, PASSED, Misconception, Verdict
from autograder.commands.check import choose
from autograder.evidence.rules import questions
from autograder.grading import next_step as module
from autograder.grading.next_step import COMMAND, command_for, next_step
from autograder.source.blanks import Place
from tests.autograder.judging import CHECKS

TABLE = table_of("hw3")
WHERE = {id: Place("a.py", 10 * n, 10 * n) for n, id in enumerate(TABLE, 1)}


@pytest.fixture(autouse=True)
def no_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def step(found: dict[str, str], asked: list[Check] = CHECKS) -> str:
    """Returns the next step where some checks are not passed."""
    verdicts = [Verdict(c.id, c.title, 0, c.points, found.get(c.id, PASSED)) for c in asked]
    return next_step("hw3", asked, verdicts, WHERE, judges_runs=True)


def test_the_next_empty_blank_of_the_table_comes_first() -> None:
    found = {TABLE[6]: BLANK, TABLE[3]: BLANK, TABLE[1]: FAILED}
    assert step(found) == f"fill in blank 4, {TABLE[3]}, cs285/a.py:40"


def test_then_the_first_mistake() -> None:
    assert step({TABLE[9]: FAILED}) == f"correct blank 10, {TABLE[9]}, cs285/a.py:100"
    assert step({"hw3.given.beside_dqn": FAILED}) == "correct hw3.given.beside_dqn"


def test_a_file_that_cannot_run_comes_first() -> None:
    wrong = Misconception("crash.syntax", "The file is not valid Python.", "", "")
    message = "SyntaxError: '(' was never closed at agents/b.py:96: 'x = ('"
    verdicts = [
        Verdict(TABLE[0], "", 0, 5, BLANK),
        Verdict(TABLE[1], "", 0, 5, FAILED, (wrong,), message),
    ]
    last = partial(next_step, "hw3", CHECKS, verdicts)
    assert last(WHERE, False) == "make cs285/agents/b.py:96 valid Python"
    gone = {**WHERE, TABLE[0]: Place("agents/c.py", 0, 0, empty=True)}
    assert last(gone, False) == "bring back cs285/agents/c.py: copy it from the handout again"


def test_an_error_of_the_grader_is_to_be_reported() -> None:
    assert "report" in step({TABLE[0]: GRADER_ERROR})


def test_when_all_is_right(tmp_path: Path) -> None:
    assert step({}, CHECKS[:3]) == f"{COMMAND} check hw3"
    assert step({}) == first_run("hw3")
    (tmp_path / "data/hw3_q2_dqn_1_LunarLander-v3").mkdir(parents=True)
    last = step({})
    assert last.endswith(f"then {COMMAND} pack hw3 --runs")


def test_a_blank_without_a_check_is_next_while_it_is_empty(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """When all that is judged is right, the work is not done."""
    first, *_ = table = table_of("hw2")
    asked = [check for check in checks("hw2") if check.id != first]
    monkeypatch.setattr(module, "checks", lambda homework: asked)
    right = [Verdict(c.id, c.title, c.points, c.points, PASSED) for c in asked]
    for empty in (True, False):
        where = {id: Place("a.py", 3, 3, empty and id == first) for id in table}
        found = next_step("hw2", asked, right, where, judges_runs=False)
        assert found == (f"fill in blank 1, {first}, cs285/a.py:3" if empty else first_run("hw2"))


@pytest.mark.parametrize("homework", names())
def test_the_command_for_a_check_chooses_it(homework: str) -> None:
    for check in checks(homework):
        _, _, _, *words = shlex.split(command_for(homework, check.id))
        assert words[:2] == ["check", homework]
        args = parse(words)
        assert check in choose(checks(homework), args.k)


def test_the_command_for_a_run_judges_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "data").mkdir()
    question = questions("hw3")[0]
    _, _, _, *words = shlex.split(command_for("hw3", question.id))
    assert main(words) == 1
    assert question.id in capsys.readouterr().out

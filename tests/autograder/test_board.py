"""The board: a reason is told once, what changed is marked, and colour is for terminals alone."""

from __future__ import annotations

import io
import os
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.__main__ import main
from autograder.base import checks as homeworks
from autograder.base.results import (
    BLANK,
    FAILED,
    GRADER_ERROR,
    PASSED,
    Misconception,
    Report,
    Verdict,
)
from autograder.grading import board
from autograder.grading.explained import Context
from autograder.source import ROOT
from autograder.source.blanks import Place
from tests import handouts
from tests.autograder.corpus import write

SYNTAX = Misconception("crash.syntax", "Not valid Python.", "Why.", "Where")
MASK = Misconception("target.no_mask", "No mask.", "Why.", "Where")
RESULTS = (PASSED, FAILED, BLANK, GRADER_ERROR)
AGENT, CRITIC = "agents/dqn_agent.py", "critics/dqn_critic.py"
OF_AGENT = ("hw3.dqn.act", "hw3.dqn.step", "hw3.dqn.update", "hw3.dqn.sync")
OF_CRITIC = ("hw3.dqn.targets", "hw3.dqn.double_q")


def verdict(name: str, kind: str, *misconceptions: Misconception, message: str = "") -> Verdict:
    return Verdict(f"hw3.{name}", "title", 0, 5, kind, misconceptions, message)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_reason_is_told_once() -> None:
    same = [verdict(f"dqn.{n}", FAILED, SYNTAX, message="at a.py:3") for n in ("act", "step")]
    other = verdict("dqn.sync", FAILED, SYNTAX, message="at b.py:3")
    first, second = board.explanations([same[0], other, same[1], verdict("x.y", PASSED)])
    assert first.startswith("hw3.dqn.act, hw3.dqn.step: one reason for all\n")
    assert (first.count(SYNTAX.title), first.count("a.py:3")) == (1, 1)
    assert second.startswith("hw3.dqn.sync: title\n")


def test_what_was_stopped_is_not_called_nameless() -> None:
    message = [board.explain(verdict("a.b", FAILED, message=m)) for m in ("stopped: it", "1 is 2")]
    assert [board.NO_NAME in text for text in message] == [False, True]


def test_many_blanks_with_one_reason_fit_the_screen() -> None:
    every = [verdict(f"part.blank_{n}", FAILED, SYNTAX, message="at a.py:3") for n in range(20)]
    (text,) = board.explanations(every)
    assert all(len(line) <= board.WIDTH for line in text.splitlines())
    assert all(each.id in text for each in every)


@pytest.mark.slow
def test_a_broken_file_is_explained_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    package = write(tmp_path, [])
    lines = {}
    for path, broken in ((AGENT, "def broken(:\n"), (CRITIC, "x = (\n")):
        text = (package / path).read_text()
        lines[path] = text.count("\n") + 1
        (package / path).write_text(text + broken)
    assert main(["check", "hw3", "--submission", str(tmp_path), "-k", "dqn"]) == 1
    table, _, below = capsys.readouterr().out.partition("total")
    assert table.count("wrong") == len(OF_AGENT) + len(OF_CRITIC)
    message = " ".join(below.split())
    assert message.count("SyntaxError") == message.count("not valid Python") == 2
    for path, line in lines.items():
        assert f"{path}:{line}" in message
    for blanks in (OF_AGENT, OF_CRITIC):
        assert f"{', '.join(blanks)}: one reason for all" in message


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (verdict("a.b", FAILED), verdict("a.b", PASSED), "+ wrong -> passed"),
        (verdict("a.b", BLANK), verdict("a.b", FAILED), "+ not filled yet -> wrong"),
        (
            verdict("a.b", FAILED, MASK, SYNTAX),
            verdict("a.b", FAILED, MASK),
            "+ 2 mistakes -> wrong",
        ),
        (verdict("a.b", PASSED), verdict("a.b", FAILED, MASK), "- passed -> wrong"),
        (verdict("a.b", FAILED, MASK), verdict("a.b", BLANK), "- wrong -> not filled yet"),
        (verdict("a.b", PASSED), verdict("a.b", GRADER_ERROR), "- passed -> grader error"),
        (
            verdict("a.b", FAILED, MASK),
            verdict("a.b", FAILED, SYNTAX),
            "~ wrong, but not as before",
        ),
        (verdict("a.b", FAILED, message="at 3"), verdict("a.b", FAILED, message="at 4"), ""),
        (verdict("a.b", PASSED), verdict("a.b", PASSED), ""),
    ],
)
def test_what_changed_is_marked(before: Verdict, after: Verdict, message: str) -> None:
    same = verdict("c.d", FAILED, MASK)
    found = [line.split() for line in board.changes([same, before], [same, after])]
    mark, *words = message.split() or [""]
    assert found == ([[mark, "a.b", *words]] if message else [])


@pytest.mark.parametrize("kind", RESULTS)
def test_colour_changes_no_word(kind: str) -> None:
    one = verdict("rollouts.sample_trajectory", kind)
    coloured = board.row(one, board.Layout(colour=True))
    assert "\033[" in coloured
    assert len(board.row(one)) <= board.WIDTH
    plain = board.row(one)
    assert plain.isascii()
    assert plain.isprintable()
    code = f"\033[{board.COLOURS[kind]}m"
    assert coloured.replace(code, "").replace("\033[0m", "") == plain
    (change,) = board.changes([verdict("a.b", "failed", SYNTAX)], [verdict("a.b", BLANK)], True)
    assert change.startswith(f"\033[{board.COLOURS[board.WORSE]}m{board.WORSE} ")


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"TERM": "xterm"}, True),
        ({"TERM": "dumb"}, False),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False),
        ({"TERM": "xterm", "NO_COLOR": ""}, True),  # by the convention it counts if not empty
    ],
)
def test_who_gets_colour(
    variables: dict[str, str], expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert board.has_colour(Terminal()) is expected
    assert board.has_colour(io.StringIO()) is False


@pytest.mark.parametrize("homework", homeworks.names())
@pytest.mark.parametrize("width", [80, 40])
def test_no_title_is_cut_and_every_line_fits(homework: str, width: int) -> None:
    checks = homeworks.checks(homework)
    layout = board.layout_for(checks, Screen(width))
    assert layout.narrow == (width == 40)
    for kind in RESULTS:
        one = Report(homework, 100)
        text = [Verdict(c.id, c.title, 0, c.points, kind) for c in checks if ".given." not in c.id]
        shown = board.head(homework, 0, layout).splitlines()
        for line in board.lines(one, text, 0.0, replace(layout, colour=False)):
            shown += line.splitlines()
        assert all(len(line) <= width for line in shown if not line.startswith("total"))
        words = " ".join(" ".join(shown).split())
        for check in checks:
            if ".given." not in check.id:
                assert board.short(check.id) in words
                assert all(word in words for word in check.title.split())
                assert not check.number or f"{check.number} {board.short(check.id)}" in words


class Screen(Terminal):
    """A terminal of so many columns."""

    def __init__(self, columns: int) -> None:
        super().__init__()
        os.environ["COLUMNS"] = str(columns)


@pytest.fixture(autouse=True)
def columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")  # and back to what it was


@pytest.mark.parametrize(("columns", "expected"), [(200, 80), (80, 80), (57, 57), (10, 30)])
def test_a_terminal_has_its_own_width_and_a_file_80(columns: int, expected: int) -> None:
    assert board.width_of(Screen(columns)) == expected
    assert board.width_of(io.StringIO()) == 80


@pytest.mark.parametrize("homework", homeworks.names())
def test_order_and_numbers_are_those_of_the_handouts_table(homework: str) -> None:
    page = handouts.text(homework)
    table = re.findall(rf"^\| (\d+) \| `({homework}\.[\w.]+)` \| `[\w/]+\.py`", page, re.MULTILINE)
    assert [id for _, id in table] == homeworks.table_of(homework)
    checks = homeworks.checks(homework)
    numbers = {check.id: check.number for check in checks if check.number}
    assert numbers == {id: int(n) for n, id in table if id in numbers}
    assert {check.id for check in checks if check.points} == numbers.keys()
    assert list(numbers.values()) == sorted(numbers.values())
    lines = [" ".join(line.split()) for line in handouts.commands(homework).splitlines()]
    assert homeworks.first_run(homework) in lines


PLACE = Place("critics/dqn_critic.py", 119, 125)
KNOWN = Context("hw3", {"hw3.dqn.targets": 5}, {"hw3.dqn.targets": PLACE})


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("width", [80, 40])
def test_a_wrong_blank_has_place_title_what_differs_and_what_to_read(
    named: bool, width: int
) -> None:
    misconceptions = (MASK,) if named else ()
    one = verdict("dqn.targets", FAILED, *misconceptions, message="step[0] is 1, expected 2")
    (text,) = board.explanations([one], replace(KNOWN, width=width))
    assert text.startswith("hw3.dqn.targets: title\n  cs285/critics/dqn_critic.py:119")
    assert all(len(line) <= width for line in text.splitlines())
    words = " ".join(text.split())
    assert "blank 5" in words
    assert "step[0] is 1, expected 2" in words
    assert ("Read: Where" if named else "Read: docs/hw3/blanks.md, number 5") in words


def test_a_command_is_not_broken_and_a_sentence_is() -> None:
    command = "python scripts/run_hw3_dqn.py --env_name LunarLander-v3"
    assert board.next_line(command, 40) == f"next: {command}"
    assert board.next_line(f"make the runs, then {command}", 40) == (
        f"next: make the runs, then\n  {command}"
    )
    sentence = board.next_line("fill in blank 1, hw3.trainer.train, cs285/a.py:126", 40)
    assert sentence == "next: fill in blank 1,\n  hw3.trainer.train, cs285/a.py:126"


def test_agents_that_trained_beside_ours_are_in_one_line() -> None:
    text = board.trained_beside(["DDPG beside ours", "TD3 beside ours"])
    assert text == "trained beside ours, and equal: DDPG, TD3"


def test_blanks_without_a_check_are_counted() -> None:
    text = " ".join(board.not_judged(["hw2.pg.baseline", "hw2.returns.gae"], 9, 40).split())
    assert text == "2 of 9 blanks have no check yet: hw2.pg.baseline, hw2.returns.gae"
    assert board.not_judged(["hw2.returns.gae"], 9).startswith("1 of 9 blanks has no check yet: ")


def test_a_mark_is_in_the_row_of_what_changed() -> None:
    layout = board.Layout(26, 26, numbers={"hw3.a.b": 3})
    before, after = [verdict("a.b", BLANK)], [verdict("a.b", PASSED)]
    row, _ = board.lines(Report("hw3", 5), after, 0.0, layout, before)
    assert row.startswith("+ 3 a.b ")
    row, _ = board.lines(Report("hw3", 5), after, 0.0, layout, after)
    assert row.startswith("  3 a.b ")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs a terminal")
@pytest.mark.parametrize("unwanted", [False, True])
def test_a_terminal_shows_colour(unwanted: bool) -> None:
    import pty

    child, terminal = pty.fork()
    if child == 0:
        wish = {"NO_COLOR": "1"} if unwanted else {}
        plain = {name: text for name, text in os.environ.items() if name != "NO_COLOR"}
        command = [sys.executable, "-m", "autograder", "check", "hw3", "-k", "argmax"]
        os.chdir(ROOT)
        os.execve(sys.executable, command, {**plain, "TERM": "xterm", **wish})
    shown = b""
    while part := read(terminal):
        shown += part
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert (b"\033[32mpassed\033[0m" in shown) is not unwanted
    assert (b"\033" in shown) is not unwanted


def read(terminal: int) -> bytes:
    """Returns what comes next; nothing when the program has ended, which is an error to Linux."""
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""

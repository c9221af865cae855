"""What a student prints is shown under its blank, bounded; of strangers nothing is."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest

from autograder.base.checks import Check
from autograder.base.seen import Seen
from autograder.grading.explained import Context, explanations, prints_by_check
from autograder.grading.grader import Grader
from autograder.isolation.sandbox_client import Sandbox
from autograder.running import channel, prints, worker
from autograder.running.prints import MOST_CHARACTERS, MOST_LINES, MOST_PLACES, Printed
from autograder.running.session import Session, Worker
from autograder.source.blanks import Place
from tests.autograder.corpus import homes, write, wrong
from tests.autograder.judging import FORMULA
from tests.autograder.test_board import verdict

ARGMAX, TARGETS, DOUBLE_Q = "hw3.argmax.action", "hw3.dqn.targets", "hw3.dqn.double_q"
PATH = homes()[ARGMAX][0]
CHECK = next(check for check in FORMULA if check.id == ARGMAX)
forks = pytest.mark.skipif(not worker.CAN_FORK, reason="needs a process of its own for a probe")


def printed_by(folder: Path, body: str, limit: float | None = None) -> tuple[Any, Seen]:
    """Returns the verdict on the greedy action, and what came back, with lines before it."""
    write(folder, [wrong("", ARGMAX, (), body=f"{body}\n{homes()[ARGMAX][1]}")])
    with closing(Session(folder / "cs285")) as session:
        grader = Grader(session, 0, limit)
        (found,) = grader.judge([CHECK])
        (seen,) = grader.asked.values()
    return found, seen


@forks
def test_prints_are_noted_by_their_line(tmp_path: Path) -> None:
    body = "import sys\nprint('shape', observation.shape)\nprint('so', 3, sep=':', file=sys.stderr)"
    found, seen = printed_by(tmp_path, body)
    assert found.verdict == "passed"
    shape, so = seen.prints
    assert shape.file == so.file == PATH
    assert so.line == shape.line + 1
    assert shape.texts[0].startswith("shape (1, 13)")
    assert so.texts[0].startswith("so:3  (x")


LOUD = {
    "many times": "for i in range(10**5):\n    print('line', i)",
    "a million bytes": "print('x' * 10**6)\nprint('y\\n' * 10**6)",
    "everywhere": "\n".join(f"print({n})" for n in range(3 * MOST_PLACES)),
}


@forks
@pytest.mark.parametrize("kind", LOUD)
@pytest.mark.slow
def test_loud_code_is_bounded_and_judged_all_the_same(tmp_path: Path, kind: str) -> None:
    body = f"if observation.shape[1] == 13:\n{indented(LOUD[kind])}"
    found, seen = printed_by(tmp_path, body, 60)
    assert found.verdict == "passed"
    assert 0 < len(seen.prints) <= MOST_PLACES
    for one in seen.prints:
        assert len(one.texts) <= MOST_LINES
        assert all(len(text) <= MOST_CHARACTERS + 10 for text in one.texts)
    assert kind == "everywhere" or sum(one.more for one in seen.prints) > 100


DEAF = """
while True:
    try:
        while True:
            pass
    except:
        pass
"""


def indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


def test_a_print_in_a_long_loop_costs_little(tmp_path: Path) -> None:
    """Without the bound, a million prints take several times as long."""
    began = time.process_time()
    with prints.noted(str(tmp_path)):
        for number in range(10**6):
            print(number)
    assert time.process_time() - began < 1.5


@forks
@pytest.mark.slow
def test_what_was_printed_before_an_endless_loop_is_there(tmp_path: Path) -> None:
    found, seen = printed_by(tmp_path, f"print('before')\n{DEAF}", 12.0)
    assert found.message.startswith("stopped: ")
    assert [one.texts for one in seen.prints] == [("before",)]


def test_streams_are_as_they_were_and_of_the_usual_kind(tmp_path: Path) -> None:
    before = sys.stdout, sys.stderr, print
    with prints.noted(str(tmp_path)):
        assert (sys.stdout.writable(), sys.stdout.encoding) == (True, "utf-8")
        assert (sys.stdout.fileno(), sys.stderr.fileno()) == (1, 2)
        assert not sys.stdout.isatty()
        sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
        sys.stdout.flush()
        with pytest.raises(TypeError):
            sys.stdout.write(cast(Any, 3))
    assert (sys.stdout, sys.stderr, print) == before


class Telling(Worker):
    """A worker whose process says that the code printed something."""

    def __init__(self) -> None:
        self.meanwhile = lambda check, seed: None

    def _send(self, request: dict[str, Any], body: bytes = b"") -> None:
        self.request = request

    def _receive(self, seconds: float) -> bytes | None:
        message = channel.pack(files=[], prints=[["a.py", 3, 0, "the answer"]])
        return message[channel.HEAD.size :]


@pytest.mark.parametrize("shows", [False, True])
def test_only_at_home_anybody_asks_for_prints_or_reads_them(shows: bool) -> None:
    one = Telling()
    one.shows_prints = shows
    seen = one.see(CHECK, 0, 1.0)
    assert one.request["prints"] is shows
    assert seen.prints == ((Printed("a.py", 3, ("the answer",), 0),) if shows else ())


def test_strangers_code_is_graded_without_its_prints() -> None:
    assert Session.shows_prints
    assert not Sandbox.shows_prints
    assert not Worker.shows_prints


def test_a_false_note_of_prints_is_no_note() -> None:
    for plain in (3, "abc", [3], [["a"]], [["a", "b", "c"]], None):
        assert prints.read_note(plain) == ()


@pytest.fixture
def two() -> Iterator[list[Check]]:
    yield [check for check in FORMULA if check.id in (TARGETS, DOUBLE_Q)]


def test_each_line_is_shown_once_and_under_its_own_blank(two: list[Check]) -> None:
    where = {TARGETS: Place("a.py", 3, 5), DOUBLE_Q: Place("a.py", 9, 9)}
    mine, its, other = (Printed("a.py", line, ("x",), 0) for line in (4, 9, 20))
    raw = Printed("", 0, ("raw",), 0)
    printed = {TARGETS: [its, other, mine, raw], DOUBLE_Q: [its, other, raw]}
    found = prints_by_check(two, lambda check: printed[check.id], where)
    assert found == {TARGETS: [other, mine, raw], DOUBLE_Q: [its]}


def test_prints_are_below_what_is_wrong_and_a_passed_blank_shows_its_own() -> None:
    wrong_one, passed = verdict("a.b", "failed", message="1 is 2"), verdict("c.d", "passed")
    long = Printed("a.py", 4, ("x" * 100, " 1   2"), 1234)
    context = Context(prints={"hw3.a.b": [long], "hw3.c.d": [Printed("", 0, ("raw",), 0)]})
    first, second = explanations([wrong_one, passed, verdict("e.f", "passed")], context)
    assert first.index("1 is 2") < first.index("Printed at cs285/a.py:4:") < first.index("|  1   2")
    assert "| ... and 1,234 more lines" in first
    assert all(len(line) <= context.width for line in first.splitlines())
    assert second == "hw3.c.d: title\n\n  Printed:\n    | raw"


def test_equal_lines_are_one(tmp_path: Path) -> None:
    part = prints.Part()
    part.add("a\n" * 3 + "b\n" + "".join(f"{n}\n" for n in range(20)))
    one = part.printed("a.py", 1)
    assert one.texts[:3] == ("a  (x3)", "b", "0")
    assert one.more == 14

"""A probe that never ends: the line it was in is told, and nothing else follows from it."""

from __future__ import annotations

import re
import time
from contextlib import closing
from pathlib import Path

import pytest

from autograder.base.results import FAILED, PASSED, Verdict
from autograder.base.seen import MAX_TEXT, PROBE, Crash, Seen
from autograder.base.text import MARK
from autograder.grading.grader import Grader, why_ended
from autograder.isolation.sandbox_client import Sandbox
from autograder.running import worker
from autograder.running.session import Session
from autograder.source import ROOT
from tests.attacks.test_attacks import harmless
from tests.autograder.boxes import REASON, box_works
from tests.autograder.corpus import homes, write, wrong
from tests.autograder.judging import FORMULA

ARGMAX, SYNC = "hw3.argmax.action", "hw3.dqn.sync"
FILE = homes()[ARGMAX][0]
CHECKS = [check for check in FORMULA if check.id in (ARGMAX, SYNC)]
LIMIT = 1.5
PLAIN = "count = 0\nwhile True:\n    count += 1"
DEAF = """
while True:
    try:
        while True:
            action = 0
    except:
        continue
"""
IN_A_LIBRARY = "import time\nwhile True:\n    time.sleep(0.01)"
WITHOUT_A_WORD = "action = sum(iter(int, 1))"
NO_END = {"deaf": DEAF, "plain": PLAIN, "in_a_library": IN_A_LIBRARY}
SOME = [kind if kind == "deaf" else pytest.param(kind, marks=pytest.mark.slow) for kind in NO_END]

# What a student's process may say of itself in place of its worker.
FORGED = """
import os
from autograder.running import channel
from autograder.base.seen import Crash
from autograder.base.seen import Seen
long = "x" * 2**20
file, source = "../../bob.py\\n\\x1b[2J", "hw3.dqn.sync: passed\\n" + long
crash = Crash("NeverEndsError", long, file, 10**12, source)
message = channel.pack(Seen(crashes={"probe": crash}), ended="over\\n\\x1b[2J" + long)
for fd in range(3, 64):
    try:
        os.write(fd, message)
    except OSError:
        pass
os._exit(0)
"""


def judge(tmp_path: Path, body: str) -> dict[str, Verdict]:
    write(tmp_path, [wrong("", ARGMAX, (), body=body)])
    with closing(Session(tmp_path / "cs285")) as session:
        grader = Grader(session, 0, LIMIT)
        return {verdict.id: verdict for verdict in grader.judge(CHECKS)}


def lines_of(package: Path, body: str) -> dict[str, str]:
    """Returns the lines of a blank as they are quoted: number -> text."""
    numbered = enumerate((package / FILE).read_text().splitlines(), 1)
    wanted = {line.strip() for line in body.splitlines()}
    return {str(number): line.strip() for number, line in numbered if line.strip() in wanted}


@pytest.mark.skipif(not worker.CAN_FORK, reason="needs a process of its own for a probe")
@pytest.mark.parametrize("kind", SOME)
def test_the_line_is_told(tmp_path: Path, kind: str) -> None:
    assert_the_line_is_reported(judge(tmp_path, NO_END[kind]), tmp_path / "cs285", kind)


def assert_the_line_is_reported(found: dict[str, Verdict], package: Path, kind: str) -> None:
    assert (found[ARGMAX].verdict, found[SYNC].verdict) == (FAILED, PASSED)
    where = re.fullmatch(
        rf'stopped: no answer within {LIMIT:g} s; it was then at {re.escape(FILE)}:(\d+): "(.*)"',
        found[ARGMAX].message,
    )
    assert where, found[ARGMAX].message
    number, text = where.groups()
    assert lines_of(package, NO_END[kind])[number] == text


@pytest.mark.slow
def test_a_loop_within_a_library_is_stopped_all_the_same(tmp_path: Path) -> None:
    found = judge(tmp_path, WITHOUT_A_WORD)
    assert found[ARGMAX].message.startswith(f"stopped: no answer within {LIMIT:g} s")
    assert (found[ARGMAX].verdict, found[SYNC].verdict) == (FAILED, PASSED)


@pytest.mark.slow
def test_a_loop_at_import_is_told(tmp_path: Path) -> None:
    package = write(tmp_path, [])
    text = (package / FILE).read_text()
    (package / FILE).write_text(f"{text}\nwhile True:\n    pass\n")
    with closing(Session(package)) as session:
        (verdict,) = Grader(session, 0, LIMIT).judge([c for c in CHECKS if c.id == ARGMAX])
    last = text.count("\n") + 3
    assert re.search(rf"{re.escape(FILE)}:({last - 1}|{last}): ", verdict.message)


@pytest.mark.slow
def test_what_is_said_falsely_is_short_and_costs_nobody_else(tmp_path: Path) -> None:
    found = judge(tmp_path, FORGED)
    assert (found[ARGMAX].verdict, found[SYNC].verdict) == (FAILED, PASSED)
    message = found[ARGMAX].message
    assert message.startswith("stopped: ")
    assert harmless(message)
    assert "\n" not in message
    assert MARK in message
    assert len(message) < 4 * MAX_TEXT


def test_why_it_ended_with_and_without_a_place() -> None:
    place = Crash("NeverEndsError", "", "a.py", 3, "while True:")
    assert why_ended(Seen(ended="over")) == "over"
    assert why_ended(Seen(crashes={PROBE: Crash("X", "")}, ended="over")) == "over"
    reported = 'over; it was then at a.py:3: "while True:"'
    assert why_ended(Seen(crashes={PROBE: place}, ended="over")) == reported


def test_a_probe_in_time_is_not_stopped() -> None:
    """If it were, this very process would end."""
    sent: list[bytes] = []
    with worker.last_words(str(ROOT), 0.2, sent.append):
        pass
    time.sleep(0.4)
    assert not sent


@pytest.mark.slow
@pytest.mark.skipif(not box_works(), reason=REASON)
@pytest.mark.parametrize("kind", NO_END)
def test_the_line_is_told_from_within_the_sandbox(tmp_path: Path, kind: str) -> None:
    package = write(tmp_path, [wrong("", ARGMAX, (), body=NO_END[kind])])
    files = {str(p.relative_to(package)): p.read_bytes() for p in package.rglob("*.py")}
    box = Sandbox("hw3")
    try:
        box.open(files)
        found = {v.id: v for v in Grader(box, 0, LIMIT).judge(CHECKS)}
    finally:
        box.end()
    assert_the_line_is_reported(found, package, kind)

"""`pytest -k ... --pdb` in a homework: whatever is wrong, it stops in the student's method."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.base.checks import names
from autograder.source import ROOT
from tests.autograder.corpus import Entry, all_entries, homes, write, wrong
from tests.autograder.words import words_of

DOUBLE_Q, TARGETS = "hw3.dqn.double_q", "hw3.dqn.targets"
FILE = homes()[DOUBLE_Q][0]
WORST = wrong("", DOUBLE_Q, "double_q.worst_action", ("argmax", "argmin"))
NO_DISCOUNT = wrong("", TARGETS, "target.no_discount", ("self.gamma * ", ""))
NAMELESS = wrong("", DOUBLE_Q, (), body="q_tp1 = self.q_net_target(next_ob_no)[:, 0] * 0.1 + 3.0")


def debug(tmp_path: Path, entry: Entry, *words: str, break_file: bool = False) -> str:
    """Returns what is shown to somebody who types some words into the debugger, and then leaves."""
    package = write(tmp_path, [entry])
    homework = entry.blank.partition(".")[0]
    if break_file:
        (package / FILE).write_text("def broken(:\n")
    command = [
        sys.executable,
        "-m",
        "pytest",
        f"autograder/homeworks/{homework}",
        "-k",
        entry.blank,
        "--pdb",
    ]
    command += ["--submission", str(tmp_path), "-p", "no:cacheprovider", "--color=no"]
    typed = "".join(f"{word}\n" for word in (*words, "quit"))
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        input=typed,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode != 0
    return done.stdout


def stopped_at(shown: str, package: Path, function: str, path: str = FILE) -> int:
    """Returns the number of the line in a student's file where the debugger waits."""
    where = re.search(rf"^> {re.escape(str(package / path))}\((\d+)\){function}\(\)$", shown, re.M)
    assert where, shown
    return int(where[1])


@pytest.mark.slow
def test_a_wrong_value_stops_in_the_blank_with_what_is_wrong(tmp_path: Path) -> None:
    shown = debug(tmp_path, WORST, "p 'seen', next_ac_n.shape[0] * 1000")
    line = stopped_at(shown, tmp_path / "cs285", "double_q_values")
    text = (tmp_path / "cs285" / FILE).read_text().splitlines()
    assert text[line - 1].strip().startswith("return")
    blank = next(number for number, code in enumerate(text, 1) if "argmin" in code)
    assert blank < line < blank + 6
    before, _, after = shown.partition("entering PDB")
    assert words_of("hw3")["double_q.worst_action"].title in before
    assert re.search(r"\('seen', [1-9]\d*000\)", after)


@pytest.mark.slow
def test_what_was_expected_is_told_where_no_mistake_has_a_name(tmp_path: Path) -> None:
    shown = debug(tmp_path, NAMELESS, "p 'seen', q_tp1[0].item()")
    before, _, after = shown.partition("entering PDB")
    message = re.search(r"values\[0\] is (\S+), expected (\S+)", before)
    assert message
    record = re.search(r"\('seen', (\S+)\)", after)
    assert record
    assert (
        abs(float(record[1]) - float(message[1])) < 1e-3 < abs(float(record[1]) - float(message[2]))
    )


@pytest.mark.slow
def test_a_blank_in_the_middle_of_a_method_has_left_its_variables(tmp_path: Path) -> None:
    shown = debug(tmp_path, NO_DISCOUNT, "p 'seen', target.shape == reward_n.shape")
    stopped_at(shown, tmp_path / "cs285", "gradient_step")
    assert words_of("hw3")["target.no_discount"].title in shown
    assert "('seen', True)" in shown


@pytest.mark.slow
def test_what_raises_stops_on_the_line_that_raises(tmp_path: Path) -> None:
    raises = wrong("", DOUBLE_Q, (), body="mine = 41 + 1\nraise RuntimeError('here')")
    shown = debug(tmp_path, raises, "p 'seen', mine")
    line = stopped_at(shown, tmp_path / "cs285", "double_q_values")
    assert "raise RuntimeError" in (tmp_path / "cs285" / FILE).read_text().splitlines()[line - 1]
    assert "('seen', 42)" in shown
    assert not frames_of_ours(shown)


def frames_of_ours(shown: str) -> list[str]:
    """Returns the frames of the grader that a traceback shows."""
    assert f"{FILE}:" in shown
    return re.findall(r"^(?:\S*/)?autograder/\S+\.py:\d+:.*$", shown, re.M)


@pytest.mark.slow
def test_frames_of_the_grader_are_hidden(tmp_path: Path) -> None:
    shown = debug(tmp_path, WORST, "bt")
    before, _, after = shown.partition("entering PDB")
    assert not frames_of_ours(before)
    assert "double_q_values" in after


@pytest.mark.slow
def test_it_stops_in_every_homework(tmp_path: Path) -> None:
    path, blank = "agents/returns.py", "hw2.returns.gae"
    entry = next(e for e in all_entries("hw2") if e.misconceptions == ("gae.no_lambda",))
    assert entry.blank == blank
    shown = debug(tmp_path, entry, "p 'seen', 41 + 1")
    assert "(gae.no_lambda)" in shown and "('seen', 42)" in shown
    assert re.search(rf"^> {re.escape(str(tmp_path / 'cs285' / path))}", shown, re.M), shown


def test_every_homework_with_checks_has_it() -> None:
    for name in names():
        text = (ROOT / "autograder" / "homeworks" / name / f"test_{name}.py").read_text()
        assert f'blank_test("{name}")' in text


@pytest.mark.slow
def test_a_file_that_does_not_parse_is_explained(tmp_path: Path) -> None:
    shown = debug(tmp_path, WORST, break_file=True)
    assert "The file is not valid Python." in shown
    assert f"{FILE}:1" in shown
    assert "Traceback" not in shown

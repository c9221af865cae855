"""A wrong command line: one line that says what, where and how to mend it, and at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.__main__ import main
from autograder.base.text import UsageError
from autograder.commands.grade import locked
from autograder.source import ROOT

SLOW = ("torch", "gymnasium")  # seconds of waiting
REPORTS_WHAT_WAS_IMPORTED = """
import json, sys
from autograder.__main__ import main
status = main(sys.argv[1:])
print(json.dumps([status, [name for name in sys.modules if "." not in name]]))
"""


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Returns the one line with which a command line is refused."""
    assert main(arguments) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert error.startswith("autograder: ")
    assert error.count("\n") == 1
    return error


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "no command"),
        (["chek", "hw3"], "unknown command chek; did you mean check? --help"),
        (["frobnicate"], "unknown command frobnicate; --help"),
        (["--verbose"], "unknown command --verbose; --help"),
        (["check"], "check: the following arguments are required: homework; --help"),
        (["check", "hw3", "more"], "check: unknown argument more; --help"),
        (["check", "hw3", "--lmit", "3"], "unknown argument --lmit; did you mean --limit? --help"),
        (["check", "hw3", "--lmit=3"], "unknown argument --lmit; did you mean --limit? --help"),
        (["check", "hw3", "--limit"], "check: --limit: expected one argument"),
        (["grade", "hw3", "x", "--engine", "steam"], "'steam' (choose from"),
        (["check", "hw3", "--seed", "x"], "--seed: takes a whole number up to 2147483647, not 'x'"),
        (["check", "hw3", "--seed", "-1"], "not '-1'"),
        (["check", "hw3", "--seed", "2147483648"], "not '2147483648'"),
        (["check", "hw3", "--limit", "soon"], "--limit: takes a number of seconds above 0"),
        (["check", "hw3", "--limit", "0"], "not '0'"),
        (["check", "hw3", "--limit", "nan"], "not 'nan'"),
        (["check", "hw3", "--limit", "1e300"], "not '1e300'"),
        (["check", "hw3", "--json", str(ROOT)], "is a folder"),
        (["check", "hw3", "--submission", "/no\nwhere"], "/no where: no such file or folder"),
        (["runs", "hw3"], "runs: the following arguments are required: DATA"),
        (["runs", "hw3", "data", "--sed", "1"], "did you mean --seed?"),
        (["release", "hw3", "out", "--gate", "non"], "release: --gate: invalid choice"),
    ],
)
def test_it_is_refused_in_one_line(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert words in refused(arguments, capsys)


def imported_for(arguments: list[str]) -> tuple[int, set[str], str]:
    """Returns the exit status of a command, the modules that it took, and what it complained."""
    command = [sys.executable, "-c", REPORTS_WHAT_WAS_IMPORTED, *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    status, names = json.loads(done.stdout)
    return status, set(names), done.stderr


@pytest.mark.parametrize(
    "arguments", [["chek"], ["check", "hw3", "--lvel", "3"], ["check", "hw9"], ["runs", "--lvel"]]
)
def test_nothing_slow_is_imported_for_it(arguments: list[str]) -> None:
    status, names, error = imported_for(arguments)
    assert status == 2
    assert error.count("\n") == 1
    assert names.isdisjoint(SLOW)


@pytest.mark.parametrize(
    ("library", "arguments", "words"),
    [
        ("safetensors", ["check", "hw3"], "safetensors is missing; pip install -c constraints.txt"),
        ("jinja2", ["report", "gradebook"], "-e '.[instructor]'"),
    ],
)
def test_a_library_that_is_missing_is_named(library: str, arguments: list[str], words: str) -> None:
    begin = f"import sys; sys.modules[{library!r}] = None"
    command = [sys.executable, "-c", f"{begin}{REPORTS_WHAT_WAS_IMPORTED}", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_list_of_commands_runs_none(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    out = " ".join(capsys.readouterr().out.split())
    for file in (ROOT / "autograder" / "commands").glob("[a-z]*.py"):
        assert f" {file.stem} " in out
    assert "judges one submission and explains what is wrong" in out


def test_who_reads_no_further_sees_no_traceback() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "autograder", "check", "hw3", "-k", "argmax"]
    done = subprocess.run(
        command, cwd=ROOT, stdout=writing, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")


def test_one_command_at_a_time_grades_into_a_gradebook(tmp_path: Path) -> None:
    waits = pytest.raises(UsageError, match="another command is grading into it now")
    with locked(tmp_path), waits, locked(tmp_path):
        pass
    with locked(tmp_path):  # it was released
        pass

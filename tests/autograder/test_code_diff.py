"""What stands in each blank, as a gradebook keeps it and people read it."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

import pytest

from autograder.__main__ import main
from autograder.base.results import FAILED
from autograder.classroom.code import changes, empty_places, keep_files, kept_files, solutions
from autograder.classroom.gradebook import Gradebook
from autograder.classroom.likeness import pieces
from autograder.classroom.survey import remarks_on_files
from autograder.classroom.winnow import marks, tokens
from autograder.source.submission import given_texts
from tests.autograder.mixed_class import mixed_class, verdict

ACT, TARGETS, CRITIC = "hw3.dqn.act", "hw3.dqn.targets", "critics/dqn_critic.py"
AGENT = "agents/dqn_agent.py"
MINE = ["best = q.max(1).values", "target = r + g * best"]


def filled(text: str, blank: str, lines: list[str]) -> str:
    """Writes lines into an empty blank."""
    rows = text.splitlines()
    number = next(n for n, row in enumerate(rows) if f'TODO("{blank}")' in row)
    indent = rows[number][: len(rows[number]) - len(rows[number].lstrip())]
    rows[number : number + 1] = [indent + line for line in lines]
    return "\n".join(rows) + "\n"


def submission() -> dict[str, str]:
    """A student who filled one blank, changed a given line, and has a module of their own."""
    given = given_texts("hw3")
    critic = filled(given[CRITIC], TARGETS, MINE)
    first = next(line for line in critic.splitlines() if line.startswith("import "))
    return {CRITIC: critic.replace(first, f"{first}\nimport os", 1), "mine.py": "x = 1\n"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = mixed_class(tmp_path / "book")
    with closing(Gradebook(found)) as book:
        keep_files(book, "s2", submission())
    return found


def diff(folder: Path, *words: str) -> int:
    return main(["diff", str(folder), *words])


def test_each_blank_has_its_lines_and_place() -> None:
    files = submission()
    (blank, *others) = changes("hw3", files)
    assert blank.blanks == (TARGETS,) and blank.text.splitlines() == MINE
    assert files[CRITIC].splitlines()[blank.first - 1].strip() == MINE[0]
    assert f'TODO("{TARGETS}")' in blank.given[0]
    assert [(one.file, one.own) for one in others] == [
        (CRITIC, ("import os",)), ("mine.py", ("x = 1",)),
    ]  # fmt: skip
    empty = empty_places("hw3", files)
    assert TARGETS not in empty and "hw3.dqn.double_q" in empty


def test_what_is_kept_of_a_submission() -> None:
    given = given_texts("hw3")
    files = {path: text.encode() for path, text in given.items()}
    kept = kept_files("hw3", files)
    assert CRITIC in kept and all("TODO(" in text for text in kept.values())
    other = next(path for path in given if path not in kept)
    files[other] += b"# mine\n"
    files |= {"odd.py": b"\xff\xfe", "nul.py": b"a\0b", "huge.py": b"#" * 2**21}
    assert kept_files("hw3", files).keys() - kept.keys() == {other, "odd.py"}


def test_every_solution_is_found() -> None:
    """Filled with our own solutions, each blank of each homework is one change, as ours."""
    for homework in ("hw2", "hw3", "hw6"):
        ours, given = solutions(homework), dict(given_texts(homework))
        for path in given:
            for blank, body in ours.items():
                if f'TODO("{blank}")' in given[path]:
                    given[path] = filled(given[path], blank, body.splitlines())
        found = [c for c in changes(homework, kept_files(homework, _bytes(given))) if c.blanks]
        assert sorted(id for one in found for id in one.blanks) == sorted(ours)
        for one in found:
            assert one.text == "\n".join(ours[id] for id in one.blanks).strip("\n")


def _bytes(files: dict[str, str]) -> dict[str, bytes]:
    return {path: text.encode() for path, text in files.items()}


def test_instructors_read_the_solution_too(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert diff(folder, "Ben") == 0
    printed = capsys.readouterr().out
    assert f"{TARGETS}  wrong" in printed
    assert "+ " in printed and MINE[0] in printed
    first = solutions("hw3")[TARGETS].splitlines()[0]
    assert f"= {first}" in printed
    assert "hw3.dqn.double_q  not filled yet" in printed
    assert diff(folder, "Ben", "--without-solution") == 0
    assert f"= {first}" not in capsys.readouterr().out
    assert diff(folder, "Ben", "-k", "targets") == 0
    assert "import os" not in capsys.readouterr().out


def test_pages(folder: Path) -> None:
    """The student reads their own lines, the instructor the solution too, on a page apart."""
    with closing(Gradebook(folder)) as book:
        (grading,) = book.gradings()
        book.add_verdict("s2", grading, verdict("hw3.dqn.sync", 5, FAILED), anew=True)
    assert main(["report", str(folder)]) == 0
    (theirs,) = (folder / "report/students").glob("s2-*.html")
    (mine,) = (folder / "report/code").glob("s2-*.html")
    first = solutions("hw3")[TARGETS].splitlines()[0]
    assert MINE[0] in theirs.read_text() and MINE[0] in mine.read_text()
    assert first in mine.read_text()
    for page in (folder / "report/students").iterdir():
        text = page.read_text(encoding="utf-8")
        for id, solution in solutions("hw3").items():
            for line in solution.splitlines():
                assert len(line) < 20 or line not in text, id


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nobody"], "knows no student 'nobody'"),
        (["s4"], "not handed in"),
        (["s5"], "the archive is damaged"),
        (["s1"], "has no code of s1: an older release graded it"),
        (["s2", "-k", "zzz"], "fits no blank"),
    ],
)
def test_bad_input(
    folder: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert diff(folder, *words) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1


@pytest.mark.parametrize(
    "data",
    [
        b"# coding: punycode\n" + b"a-" * 400_000,
        b"# coding: utf-7\n+2AA-\n" * 9,
        b"x\n" * 400_000,
        b"\n        return x\n" * 50_000,
        b"'''" * 300_000 + b'"' * 99_999,
        b"\xff\xfe" * 300_000,
        "\ud800\u202e".encode("utf-8", "surrogatepass") * 1000,
    ],
    ids=["codec", "surrogates", "lines", "repeated", "quotes", "bytes", "halves"],
)
def test_no_file_takes_long_or_breaks(data: bytes, tmp_path: Path) -> None:
    """Reading, comparing and marking run in the instructor's process."""
    began = time.process_time()
    files = kept_files("hw3", {CRITIC: data, "mine.py": data})
    assert list(remarks_on_files("hw3", {CRITIC: data}))
    found = pieces("hw3", files)
    for text in found.values():
        marks(tokens(text, set()))
    with closing(Gradebook(tmp_path, create=True)) as book:
        keep_files(book, "digest", files)
    assert time.process_time() - began < 3

"""Files of release 0.1.0 are read, or refused in one line that says what to do.

Its own code wrote all that lies in `old_files`: a gradebook of three students with two gradings,
what these students handed in, a list of given files out of a handout, and two runs.
"""

from __future__ import annotations

import csv
import io
import shlex
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from autograder import __version__
from autograder.__main__ import main
from autograder.base.packed import pack
from autograder.base.results import Verdict
from autograder.base.text import UsageError
from autograder.classroom.gradebook import FILE, Gradebook
from autograder.evidence.rules import questions
from autograder.evidence.run_folder import read_run
from autograder.evidence.run_sketch import Sketch, copies, sketch
from autograder.misconceptions import oracle
from autograder.reports.diff import compare
from autograder.source.altered import altered
from autograder.source.handout_files import given_files
from tests.autograder.boxes import REASON, box_works
from tests.running import run

OLD = Path(__file__).parent / "old_files"
FINISHED = next((OLD / "runs").glob("hw3_old_*"))
STOPPED = next((OLD / "runs").glob("hw3_stopped_*"))
ROWS = {
    "ada": ["10", "15", "25", "", "0", "25", ""],
    "ben": ["0", "0", "0", "", "0", "0", ""],  # a copied run took the second blank's points
    "eve": ["0", "0", "0", "", "0", "0", ""],
}


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """The old gradebook, as a file again."""
    folder = tmp_path / "book"
    folder.mkdir()
    with closing(sqlite3.connect(folder / FILE)) as connection:
        connection.executescript((OLD / "gradebook.sql").read_text(encoding="utf-8"))
    return folder


def test_an_old_gradebook_is_exported(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for grading in ([], ["--grading", "1"], ["--grading", "2"]):  # the second had a level
        assert main(["export", str(book), *grading]) == 0
        head, *rows = csv.reader(io.StringIO(capsys.readouterr().out))
        assert head[3:5] == ["hw2.returns.reward_to_go", "hw2.returns.gae"]
        assert {row[0]: row[3:] for row in rows} == ROWS


def test_an_old_gradebook_is_reported(book: Path) -> None:
    assert main(["report", str(book)]) == 0
    index = (book / "report" / "index.html").read_text(encoding="utf-8")
    assert "What follows is not discounted." in index
    assert "ada and ben handed in runs with the same weights" in index
    pages = {file.stem.split("-")[0]: file for file in (book / "report/students").iterdir()}
    ben = pages["ben"].read_text(encoding="utf-8")
    assert "to_go.not_discounted" in ben
    assert "shares the same weights with a run that somebody else handed in" in ben
    assert "<svg" in pages["ada"].read_text(encoding="utf-8")  # a curve


def test_verdicts_of_the_level_that_is_gone_go_too(book: Path) -> None:
    with closing(Gradebook(book)) as opened:
        (grading, _), student = opened.gradings(), opened.submissions()[0]
        kept = opened.verdicts(str(student.digest), grading)
        opened.connection.executescript(
            "ALTER TABLE gradings ADD COLUMN level TEXT; UPDATE facts SET value = '2' "
            "WHERE key = 'schema'; UPDATE gradings SET level = 'tiny';"
        )
        for id, verdict in (("hw3.learn.dqn", "failed"), ("hw3.learn.double_dqn", "skipped")):
            new = Verdict(id, "six tiny tasks, exactly", 0, 0, verdict)
            opened.add_verdict(str(student.digest), grading, new)
    with closing(Gradebook(book)) as opened:
        assert opened.verdicts(str(student.digest), opened.gradings()[0]) == kept
    assert main(["report", str(book)]) == 0


def test_old_gradings_are_compared(book: Path) -> None:
    with closing(Gradebook(book)) as opened:
        assert compare(opened, 1, 2) == []
        opened.connection.execute("DELETE FROM copies")
        opened.connection.execute(
            "UPDATE gradings SET grader = 'other' WHERE id = 2"
        )  # whose verdicts are not there
        assert [change.student for change in compare(opened, 1, 2)] == ["ada", "ben", "eve"]


@pytest.mark.skipif(not box_works(), reason=REASON)
@pytest.mark.slow
def test_an_old_gradebook_is_graded_again(
    book: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for file in (OLD / "handed_in").iterdir():
        folder = tmp_path / "handed_in" / file.stem / "cs285/infrastructure"
        folder.mkdir(parents=True)
        shutil.copy(file, folder / "returns.py")
    with closing(Gradebook(book)) as opened:
        opened.connection.execute("DELETE FROM copies")
    command = ["regrade", "hw2", str(tmp_path / "handed_in"), str(book), "--jobs", "1"]
    assert main(command) == 1  # blanks have got checks since
    printed = capsys.readouterr().out
    assert "3 to be judged\n" in printed
    changes = [line for line in printed.splitlines() if line.startswith("  hw2.")]
    assert changes and all(": not judged -> " in line for line in changes)
    with closing(Gradebook(book)) as opened:
        assert [grading.id for grading in opened.gradings()] == [1, 2, 3]


def test_another_layout_is_refused(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(sqlite3.connect(book / FILE)) as connection, connection:
        connection.execute("UPDATE facts SET value = '0' WHERE key = 'schema'")
    assert main(["export", str(book)]) == 2
    error = capsys.readouterr().err
    assert "has layout 0, and this release reads 3: use the release that wrote it" in error
    assert error.count("\n") == 1


def test_an_old_table_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its numbers belong to another probe, so that right code would fail."""
    file = tmp_path / "returns.reward_to_go.safetensors"
    monkeypatch.setattr(oracle, "table_file", lambda blank: file)
    oracle.read_table.cache_clear()
    file.write_bytes(pack([], {"release": "0.1.0"}))
    try:
        assert main(["check", "hw2", "-k", "reward_to_go"]) == 2
        out, error = capsys.readouterr()
        assert out == ""
        assert error.count("\n") == 1
        assert f"is of release 0.1.0, and this grader of {__version__}: take the whole" in error
        file.write_bytes(pack([], {"release": __version__, "words": {}, "groups": {}}))
        assert oracle.read_table("hw2.returns.reward_to_go") is not None
        oracle.read_table.cache_clear()
        file.write_text("{}")  # as tables were before
        with pytest.raises(UsageError, match="missing or damaged: take the whole"):
            oracle.read_table("hw2.returns.reward_to_go")
    finally:
        oracle.read_table.cache_clear()


def test_a_release_number_is_no_change_of_a_given_file() -> None:
    """Else each submission made from an older handout would have a note about it."""
    files = given_files("hw2")
    assert f'__version__ = "{__version__}"' in files["__init__.py"]
    old = {path: text.replace(__version__, "0.1.0").encode() for path, text in files.items()}
    assert altered("hw2", old) == []
    old["__init__.py"] += b"import os\n"
    assert len(altered("hw2", old)) == 1


def test_an_old_run_is_evidence(book: Path) -> None:
    """The gradebook has its sketch, made at that time; the run itself gives that and more."""
    question = next(q for q in questions("hw3") if q.id == "hw3.runs.q4_1_1")
    run_now = read_run(FINISHED)
    assert run_now.settings["size"] == 8
    assert len(run_now.log["Step"]) == 2
    with closing(Gradebook(book)) as opened:
        digest = next(s.digest for s in opened.submissions() if s.student == "ada")
        (kept,) = opened.sketches(str(digest))
    then = Sketch(**kept)
    made = sketch(question, run_now)
    assert {column: made.rows[column] for column in then.rows} == then.rows
    assert then == replace(made, rows=then.rows, spectra=())
    other = Sketch(**{**kept, "identity": "another seed"})
    assert [what for _, _, what in copies([then, other])] == ["the same weights"]


def test_an_old_run_is_diagnosed(capsys: pytest.CaptureFixture[str]) -> None:
    for folder, networks in ((FINISHED, "2 networks"), (STOPPED, "2 networks")):
        assert main(["diagnose", str(folder)]) in (0, 1)
        out = capsys.readouterr().out
        assert networks in out
        assert "Note:" not in out


def test_an_old_checkpoint_is_refused_and_stays(tmp_path: Path) -> None:
    folder = tmp_path / STOPPED.name
    shutil.copytree(STOPPED, folder)
    (folder / "checkpoints" / "blobs").mkdir(exist_ok=True)  # git keeps no empty folder
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    command = f"python scripts/run_hw3_actor_critic.py --resume {shlex.quote(str(folder))}"
    status, _, error = run(command)
    assert status == 2 and error.count("\n") == 1
    assert "another version of this code wrote the checkpoints" in error
    assert "begin a new run" in error
    assert {file: file.read_bytes() for file in before} == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", "hw3", "--level", "tiny"], "--level is gone: every check runs each time"),
        (["check", "hw3", "--level=formula"], "--level is gone: every check runs each time"),
        (["grade", "hw3", "x", "--out", "y", "--level", "tiny"], "--level is gone: every check"),
        (["gradescope", "hw3", "x.zip", "--box", "auto"], "--box is gone: code always runs as"),
        (["gradescope", "hw3", "x.zip", "--box=user"], "--box is gone: code always runs as"),
    ],
)
def test_old_words_of_the_command_line(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1


def test_the_version_stands_in_each_of_its_places() -> None:
    import cs285

    root = Path(__file__).parent.parent.parent
    assert cs285.__version__ == __version__
    assert f"\nversion: {__version__}\n" in (root / "CITATION.cff").read_text()
    assert f"\n## {__version__}\n" in (root / "CHANGELOG.md").read_text()

"""Students' data: a table without names, and a gradebook that forgets somebody."""

from __future__ import annotations

import csv
from contextlib import closing
from pathlib import Path

import pytest

from autograder.__main__ import main
from autograder.base.results import Misconception
from autograder.classroom.code import keep_files
from autograder.classroom.gradebook import FILE, Gradebook
from autograder.classroom.notes import Copy, Held, Need
from autograder.classroom.overrides import POINTS, Override, set_override
from autograder.evidence.curves import Curve
from tests.autograder.mixed_class import mixed_class

WHO, NAME, MAIL = "zoe4711x", "Zoraida Quux", "zoraida@example.edu"
COPIED = Misconception("evidence.duplicate", "A copy.", "Why.", "Where")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A class with one student of whom every table knows something."""
    found = mixed_class(tmp_path / "book")
    with closing(Gradebook(found)) as book:
        book.set_students([(WHO, NAME, MAIL)], ["s1", WHO])
        rows = book.submissions()
        one = next(row for row in rows if row.student == "s2")
        mine = type(one)("zoe4711x.zip", WHO, one.received, "zoes-digest", None, True)
        book.set_submissions([*rows, mine])
        (grading,) = book.gradings()
        for verdict in book.verdicts("s2", grading).values():
            book.add_verdict("zoes-digest", grading, verdict)
            book.begin_check("zoes-digest", grading, verdict.id)
        keep_files(book, "zoes-digest", {"critics/dqn_critic.py": "# zoes-code\n"})
        book.set_curves("zoes-digest", [Curve("q1", "zoe4711x_run", (1, 2), (3, 4))])
        book.set_sketches("zoes-digest", [{"question": "q1", "name": "zoe4711x_run"}])
        words = f"the run of {NAME} is s1's", f"s1 and {WHO} handed in one run"
        book.set_copies(
            [Copy("s1", "hw3.dqn.act", COPIED, "line", words[1], "s1"),
             Copy("zoes-digest", "hw3.dqn.act", COPIED, "line", words[1], WHO)]
        )  # fmt: skip
        book.set_needs("reading", [Need("s1", words[0]), Need(WHO, "look")])
        book.add_held([Held(WHO, "zoes-digest", "", "zoe4711x.zip")])
        comment = f"As {NAME} wrote."
        set_override(book, Override("s1", POINTS, "hw3.dqn.act", None, comment, "T", "now", "s1"))
        book.connection.execute("PRAGMA secure_delete = OFF")  # as many builds of SQLite have it
        book.set_fact("gone", f"{NAME} " * 5000)  # of a page that is free afterwards
        book.connection.execute("DELETE FROM facts WHERE key = 'gone'")
    return found


def bytes_of(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


def test_nothing_of_a_student_stays(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(folder)]) == 0
    for word in (WHO, NAME, MAIL, "zoes-code", "zoes-digest"):
        assert word.encode() in bytes_of(folder)
    before = {row[0]: row for row in exported(folder, capsys)}
    assert main(["forget", str(folder), NAME]) == 0  # only a look
    assert WHO.encode() in bytes_of(folder)
    assert main(["forget", str(folder), NAME, "--yes"]) == 0
    for word in (WHO, NAME, MAIL, "zoes-code", "zoes-digest"):
        assert word.encode() not in bytes_of(folder)
    capsys.readouterr()
    after = {row[0]: row for row in exported(folder, capsys)}
    assert before.keys() - after.keys() == {WHO}
    assert all(after[who][:-2] == row[:-2] for who, row in before.items() if who != WHO)
    assert main(["report", str(folder)]) == 0
    assert WHO.encode() not in bytes_of(folder)
    assert main(["forget", str(folder), WHO]) == 2


def test_what_a_partner_handed_in_stays(folder: Path) -> None:
    with closing(Gradebook(folder)) as book:
        one = next(row for row in book.submissions() if row.student == WHO)
        partner = type(one)("p", "s7", None, one.digest, None, True)
        rows = [row for row in book.submissions() if row.student != "s7"]
        book.set_submissions([*rows, partner])
    assert main(["forget", str(folder), WHO, "--yes"]) == 0
    with closing(Gradebook(folder)) as book:
        (grading,) = book.gradings()
        assert book.verdicts("zoes-digest", grading)
        assert (folder / FILE).read_bytes().count(b"zoe4711x.zip") == 0


def exported(folder: Path, capsys: pytest.CaptureFixture[str], *more: str) -> list[list[str]]:
    capsys.readouterr()
    assert main(["export", str(folder), *more]) == 0
    return list(csv.reader(capsys.readouterr().out.splitlines()))


def test_pseudonyms(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    named, nameless = exported(folder, capsys), exported(folder, capsys, "--pseudonyms")
    text = "\n".join(",".join(row) for row in nameless)
    with closing(Gradebook(folder)) as book:
        known = {word for who, row in book.students().items() for word in (who, *row) if word}
    assert not [word for word in known if word in text]
    assert sorted(row[3:9] for row in named) == sorted(row[3:9] for row in nameless)
    ids = [row[0] for row in nameless[1:]]
    assert ids == sorted(ids) and len(set(ids)) == len(ids) == len(named) - 1
    assert exported(folder, capsys, "--pseudonyms") == nameless  # stable
    assert main(["export", str(folder), "--pseudonyms", "--format", "canvas"]) == 2


def test_pseudonyms_are_nobodys_without_the_secret(tmp_path: Path) -> None:
    from autograder.reports.pseudonyms import key_of, namer

    keys = []
    for name in ("a", "b"):
        with closing(Gradebook(tmp_path / name, create=True)) as book:
            keys.append(key_of(book))
            assert key_of(book) == keys[-1]
    assert namer(keys[0])("ada") != namer(keys[1])("ada")
    assert namer(keys[0])("ada") == namer(keys[0])("ada") != namer(keys[0])("ben")

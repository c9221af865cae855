"""Written answers: a rubric, a table to fill in, and a total that is the course's."""

from __future__ import annotations

import csv
from contextlib import closing
from pathlib import Path

import pytest

from autograder.__main__ import main
from autograder.classroom.gradebook import Gradebook
from autograder.classroom.policy import Policy
from autograder.reports.classroom import Classroom, load
from autograder.reports.text import page_name
from tests.autograder.mixed_class import mixed_class

QUESTIONS = "question,item,points\nq1,names the moving target,3\nq1,shows a curve,2.5\nq2,,4\n"
HEAD = ["id", "name", "q1: names the moving target (3)", "q1: shows a curve (2.5)", "q1: comment"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rubric.csv").write_text(QUESTIONS)
    found = mixed_class(tmp_path / "book")
    assert rubric(found, "--questions", tmp_path / "rubric.csv") == 0
    return found


def rubric(folder: Path, *words: object) -> int:
    return main(["rubric", str(folder), *map(str, words)])


def room_of(folder: Path) -> Classroom:
    with closing(Gradebook(folder)) as book:
        return load(book, Policy())


def filled(folder: Path, **cells: list[str]) -> Path:
    """Writes the table, fills some students' rows, and returns it."""
    file = folder.parent / "sheet.csv"
    assert rubric(folder, "-o", file) == 0
    head, *rows = csv.reader(file.read_text(encoding="utf-8").splitlines())
    assert head == [*HEAD, "q2: answer (4)", "q2: comment"]
    rows = [[*row[:2], *cells.get(row[0], row[2:])] for row in rows]
    with file.open("w", encoding="utf-8-sig", newline="") as stream:  # as a spreadsheet saves it
        csv.writer(stream, delimiter=";").writerows([head, *rows])
    return file


def test_the_total_is_the_courses(folder: Path) -> None:
    room = room_of(folder)
    assert room.most == 15 + 9.5
    ada = next(one for one in room.students if one.id == "s1")
    assert ada.unsettled and "written answers not graded yet: q1, q2" in ada.problem
    sheet = filled(folder, s1=["3", "1,5", "Where is it?", "4", ""], s4=["0", "", "", "1", ""])
    assert rubric(folder, "--read", sheet, "--by", "Tia") == 0
    found = {one.id: one for one in room_of(folder).students}
    assert found["s1"].points == 15 + 8.5 and not found["s1"].unsettled
    assert found["s2"].unsettled  # handed in, and nobody has read it
    assert found["s4"].points == 1  # on paper alone
    assert found["s4"].unsettled


def test_the_table_keeps_what_is_graded(folder: Path) -> None:
    assert rubric(folder, "--read", filled(folder, s1=["3", "", "Fine.", "", ""])) == 0
    assert rubric(folder, "--read", filled(folder)) == 0
    ada = next(one for one in room_of(folder).students if one.id == "s1")
    assert ada.points == 18 and ada.scores["hw3.written.q1"].grades[-1].comment == "Fine."
    assert rubric(folder, "--read", filled(folder, s1=["", "", "", "", ""])) == 0
    assert next(one for one in room_of(folder).students if one.id == "s1").points == 15


def test_the_student_reads_items_and_comment(folder: Path) -> None:
    sheet = filled(folder, s1=["3", "1", "<b>Where</b> is the axis?", "4", ""])
    assert rubric(folder, "--read", sheet, "--by", "Tia") == 0
    assert main(["report", str(folder)]) == 0
    page = (folder / "report/students" / page_name("s1")).read_text(encoding="utf-8")
    for words in ("names the moving target", "&lt;b&gt;Where&lt;/b&gt; is the axis?", "Tia"):
        assert words in page


def test_it_is_exported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert rubric(folder, "--read", filled(folder, s1=["3", "1", "", "4", ""])) == 0
    capsys.readouterr()
    assert main(["export", str(folder)]) == 0
    head, *rows = csv.reader(capsys.readouterr().out.splitlines())
    ada = dict(zip(head, next(row for row in rows if row[0] == "s1"), strict=True))
    assert (ada["hw3.written.q1"], ada["hw3.written.q2"], ada["total"]) == ("4", "4", "23")
    ben = dict(zip(head, next(row for row in rows if row[0] == "s2"), strict=True))
    assert (ben["hw3.written.q1"], ben["final"]) == ("", "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("a,b,c\n", "first line must be question,item,points"),
        ("question,item,points\n", "contains no question"),
        ("question,item,points\nq1,a,zero\n", "'zero' is no number"),
        ("question,item,points\nq1,a,0\n", "points must be above 0"),
        ("question,item,points\nq 1,a,1\n", "is no name of a question"),
        ("question,item,points\nq1,a,1\nq1,a,2\n", "twice"),
    ],
)
def test_a_wrong_rubric(
    folder: Path, text: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder.parent / "bad.csv").write_text(text)
    assert rubric(folder, "--questions", folder.parent / "bad.csv") == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1
    assert room_of(folder).most == 15 + 9.5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name\nx\n", "first column must be id"),
        ("id,q9\ns1,1\n", "the rubric has no column 'q9'"),
        ("id,q2: answer (4)\ns9,1\n", ":2: the gradebook knows no student 's9'"),
        ("id,q2: answer (4)\ns1,5\n", ":2, q2: answer (4): 5 must lie between 0 and 4"),
        ("id,q2: answer (4)\ns1,four\n", "'four' is no number"),
        ("id,q2: answer (4)\ns1,1\ns1,2\n", ":3: the student 's1' is there twice"),
    ],
)
def test_a_wrong_table_changes_nothing(
    folder: Path, text: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder.parent / "bad.csv").write_text(text)
    assert rubric(folder, "--read", folder.parent / "bad.csv") == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1
    assert next(one for one in room_of(folder).students if one.id == "s1").points == 15


def test_without_a_rubric(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = mixed_class(tmp_path / "book")
    assert rubric(folder) == 2
    assert "there is no rubric yet" in capsys.readouterr().err

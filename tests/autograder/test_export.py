"""Points as tables, in which no cell is a formula."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from autograder.__main__ import main
from autograder.classroom.gradebook import Gradebook
from autograder.classroom.listing import keep_roster
from autograder.classroom.roster import Student as OfRoster
from autograder.reports import tables
from autograder.reports.student import Student
from autograder.reports.text import cell, padded, printable
from tests.autograder.mixed_class import POLICY, mixed_class


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return mixed_class(tmp_path / "book")


def exported(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[list[str]]:
    assert main(["export", *map(str, arguments)]) == 0
    return list(csv.reader(io.StringIO(capsys.readouterr().out)))


def test_a_row_for_each_student(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head, *rows = exported(capsys, folder)
    assert head == [
        "id", "name", "email", "hw3.dqn.act", "hw3.dqn.targets",
        "total", "late_days", "penalty", "final", "problem",
    ]  # fmt: skip
    assert sorted(row[0] for row in rows) == ["s1", "s2", "s3", "s4", "s5", "s6", "s7"]
    found = {row[0]: row[3:] for row in rows}
    owed = "grader error in hw3.dqn.act: points are missing"
    assert found == {
        "s1": ["5", "10", "15", "0", "0", "15", ""],
        "s2": ["5", "0", "5", "2", "0.5", "4.5", ""],
        "s3": ["0", "10", "10", "0", "0", "10", ""],
        "s4": ["0", "0", "0", "", "0", "0", "not handed in"],
        "s5": ["", "", "", "", "0", "", "the archive is damaged"],
        "s6": ["", "10", "", "0", "0", "", owed],
        "s7": ["5", "", "", "0", "0", "", "graded in part so far"],
    }


def test_what_is_not_final_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "policy.toml").write_text(POLICY + "[extensions]\ns9 = 2\n")
    assert main(["export", str(folder)]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 4
    assert "names 's9', which is no id, email or name of one student" in lines[0]
    assert "1 student (s7): not graded in full yet" in lines[1]
    assert "1 student (s6): grader errors" in lines[2]
    assert "1 student (s5): grades left open, for you to decide" in lines[3]


def test_another_policy_can_be_named(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "hard.toml").write_text("deadline = 2026-10-14T12:00:00Z\npenalty_points = 4")
    rows = exported(capsys, folder, "--policy", tmp_path / "hard.toml")
    assert [row[6:9] for row in rows if row[0] == "s2"] == [["2", "5", "0"]]


def test_canvas_layout(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head, points, *rows = exported(capsys, folder, "--format", "canvas")
    assert head == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Homework 3"]
    assert points == ["    Points Possible", "", "", "", "", "15"]
    assert {len(row) for row in rows} == {6}
    found = {row[2]: row for row in rows}
    assert found["s2"] == ["Ben", "", "s2", "ben@example.edu", "", "4.5"]
    assert found["s3"][0].startswith("'=HYPERLINK")
    assert found["s3"][3] == "'+49@example.edu"
    assert {who: row[5] for who, row in found.items()} == {
        "s1": "15", "s2": "4.5", "s3": "10", "s4": "0", "s5": "", "s6": "", "s7": "",
    }  # fmt: skip


def test_the_ids_go_where_canvas_has_them(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book = Gradebook(folder)
    book.set_students([("777", "Kim", "kim@example.edu")])
    book.close()
    arguments = [folder, "--format", "canvas", "--assignment", "HW 3 (4711)", "--canvas-id"]
    head, _, *rows = exported(capsys, *arguments, "canvas")
    assert head[5] == "HW 3 (4711)"
    assert ["Kim", "777", "", "kim@example.edu", "", "0"] in rows
    assert {row[1] for row in rows} == {"777", ""}  # "s1" is no number: Canvas would misread it
    rows = exported(capsys, *arguments, "login")
    assert ["Kim", "", "", "777", "", "0"] in rows


@pytest.mark.parametrize(
    ("student", "shown"), [("12", "12"), ("12ab", ""), ("ab12", ""), ("12\n", ""), ("\u0661", "")]
)
def test_canvas_own_column_has_whole_numbers_alone(student: str, shown: str) -> None:
    """Canvas reads "12ab" there as its student 12, who is somebody else."""
    row = tables.canvas_row(Student(student, "Kim"), tables.CANVAS_IDS["canvas"])
    assert row[1] == shown
    assert tables.canvas_row(Student(student, "Kim"), tables.CANVAS_IDS["sis"])[2] != ""


def test_no_student_is_taken_for_the_row_of_most_points(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(Gradebook(folder)) as book:
        book.set_students([("s1", "My Points Possible", None)])
    _, points, *rows = exported(capsys, folder, "--format", "canvas")
    assert points[5] == "15"
    assert not [row for row in rows if "Points Possible" in row[0]]


@pytest.mark.parametrize("name", ["Final Score", "Section", "ID", " ", "My Current Grade (2)"])
def test_titles_that_canvas_would_ignore(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(folder), "--format", "canvas", "--assignment", name]) == 2
    assert "--assignment" in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize(
    "text",
    [
        "=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1+1", "\r=1+1", "\n=1+1", " =1+1", '"=1+1', "'=1+1",
        "\uff1d1+1", "\uff0b1+1", "\uff0d1+1", "\uff20SUM(A1)", "\ufe661+1", "\u22121+1",
        "\ufeff=1+1", "\u200b=1+1", "\u00a0=1+1", "-", "--1", "=", "+49 30 1234",
        "-2+3+cmd|' /C'!A0",
    ],
)  # fmt: skip
def test_formulas_become_text(text: str) -> None:
    assert cell(text).startswith("'")
    assert cell(f"Kim;{text}").startswith("Kim;'")
    assert cell(f'Kim, "{text}').startswith("Kim,'")


@pytest.mark.parametrize("text", ["-5", "+5", "5", "0.25", "-0.5", "Zoë", "a=b", "a-b", "", "007"])
def test_numbers_and_other_text_are_left_alone(text: str) -> None:
    assert cell(text) == text


def test_cells_are_single_lines_without_controls() -> None:
    assert cell("a\x00b\n\nc") == "a\N{REPLACEMENT CHARACTER}b c"
    assert printable("Zoe\u0308 \u202e李\u200b\x1b[0m", "utf-8") == "Zoë ?李??[0m"
    assert printable("Zoë \u202e李\x1b[0m", "ascii") == "Zoe ???[0m"
    assert printable("Groß, Łukasz", "latin-1") == "Groß, ?ukasz"
    assert [padded(text, 4) for text in ("Groß", "李", "李李李", "aaa李")] == [
        "Groß",
        "李  ",
        "李李",
        "aaa ",
    ]


def test_a_file_is_written_as_a_whole_or_not_at_all(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "points.csv"
    assert main(["export", str(folder), "-o", str(out)]) == 0
    assert out.read_text(encoding="utf-8").startswith("id,name,email")
    assert capsys.readouterr().out == ""
    assert not list(tmp_path.glob("*.part"))
    for bad in (tmp_path, tmp_path / "nowhere" / "x.csv", Path("/dev/full/x")):
        assert main(["export", str(folder), "-o", str(bad)]) == 2
        error = capsys.readouterr().err.splitlines()
        assert "-o: " in error[-1]
        assert "cannot be written" in error[-1]
    assert not list(tmp_path.parent.glob("*.part"))


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("soffice"), reason="needs LibreOffice, which is not installed")
@pytest.mark.parametrize("separator", [",", ";"])
def test_a_spreadsheet_computes_nothing(folder: Path, tmp_path: Path, separator: str) -> None:
    book = Gradebook(folder)
    book.set_students([("=1+1", "\uff1d2+2", " =3+3"), ("x;=4+4", '"=5+5', "-6+6")])
    book.close()
    points, control = tmp_path / "points.csv", tmp_path / "control.csv"
    assert main(["export", str(folder), "-o", str(points)]) == 0
    control.write_text(f'a{separator}"=1+1"\n')
    command = ["soffice", "--headless", f"--infilter=CSV:{ord(separator)},34,76"]
    command += ["--convert-to", "fods", "--outdir", str(tmp_path)]
    subprocess.run([*command, str(points), str(control)], check=True, timeout=120)
    assert "table:formula" in control.with_suffix(".fods").read_text(encoding="utf-8")
    assert "table:formula" not in points.with_suffix(".fods").read_text(encoding="utf-8")


def test_canvas_gets_all_ids_of_its_own_list(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = OfRoster("s2", "Ben", None, ("4712", "ben"), ("4712", "s2", "ben"))
    with closing(Gradebook(folder)) as book:
        keep_roster(book, [known])
    for kind in ("sis", "login", "canvas"):
        _, _, *rows = exported(capsys, folder, "--format", "canvas", "--canvas-id", kind)
        assert ["Ben", "4712", "s2", "ben", "", "4.5"] in rows


def test_canvas_numbers_that_nobody_knows_are_reported(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(folder), "--format", "canvas", "--canvas-id", "canvas"]) == 2
    line = capsys.readouterr().err.splitlines()[-1]
    assert "Canvas's number of 7 students is not known" in line and "--roster" in line

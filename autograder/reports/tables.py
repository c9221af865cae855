"""A class's points as CSV: for spreadsheets, and in the layout that Canvas imports."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

from autograder.base.text import UsageError
from autograder.classroom.policy import plain
from autograder.reports.classroom import Classroom
from autograder.reports.scores import Blank
from autograder.reports.student import Student
from autograder.reports.text import cell

Row = Sequence[str]

CANVAS_HEAD = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
POINTS = "Points Possible"  # Canvas knows the row of most points by these words in its first cell
# Canvas takes a column whose title contains these words for one of its own sums, and ignores it.
CANVAS_OWN = re.compile(r"(Current|Final|Override) (Score|Points|Grade|Status)")
CANVAS_IDS = {"sis": 2, "login": 3, "canvas": 1}


def as_csv(rows: Iterable[Row]) -> str:
    """Returns rows as the text of a CSV file, no cell of which is a formula."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerows(rows)
    return stream.getvalue()


def scores(room: Classroom) -> str:
    """Returns a row for each student: points for each blank, lateness, and what is left.

    Where a submission cannot be read, or is not judged yet, the cell is empty.
    """
    blanks, decided = room.columns, any(student.overrides for student in room.students)
    ends = ["total", "late_days", "penalty", "final", "problem", *["overrides"] * decided]
    head = ("id", "name", "email", *(blank.id for blank in blanks), *ends)
    rows = [(*_row(one, blanks), *[_decisions(one)] * decided) for one in room.students]
    return as_csv([head, *rows])


def _decisions(student: Student) -> str:
    """Returns what people decided over the grader, and why."""
    texts = (f"{one.what}, {one.author}: {one.comment}" for one in student.overrides)
    return cell("; ".join(texts))


def _row(student: Student, blanks: Sequence[Blank]) -> Row:
    settled = student.settlement
    return (
        cell(student.id),
        cell(student.name),
        cell(student.email),
        *(_points(student, blank) for blank in blanks),
        "" if student.unsettled else plain(student.points),
        "" if settled.late is None else str(settled.late),
        plain(settled.penalty),
        final_of(student),
        cell(student.problem),
    )


def _points(student: Student, blank: Blank) -> str:
    """Returns the points for a blank; nothing where it is the grader that owes them."""
    score = student.scores.get(blank.id)
    if score is None:
        return "" if student.unsettled else "0"
    if score.is_open and (not blank.by_hand or blank.id in student.written_open):
        return ""
    return plain(score.points)


def without_number(students: Iterable[Student]) -> list[Student]:
    """Returns those of whom Canvas's own number is not known: its column would stay empty."""
    return [one for one in students if not (one.canvas_ids or re.fullmatch("[0-9]+", one.id))]


def final_of(student: Student) -> str:
    """Returns what is left of a student's points; nothing while some are open."""
    return "" if student.unsettled else plain(student.settlement.final)


def canvas(room: Classroom, assignment: str, id_kind: str = "sis") -> str:
    """Returns what Canvas's gradebook imports: one column for the homework.

    Args:
        room: The class.
        assignment: The column's title: an assignment's name, or "name (Canvas's id of it)".
        id_kind: Which of Canvas's ids the students' ids here are: a key of `CANVAS_IDS`.

    Raises:
        UsageError: If Canvas would not take the title for an assignment's.
    """
    title = cell(assignment)
    if not title or title in CANVAS_HEAD or CANVAS_OWN.search(title):
        raise UsageError(
            f"--assignment {assignment!r}: Canvas has a column of its own with that title; "
            "give the assignment's name in Canvas"
        )
    rows = [
        (*CANVAS_HEAD, title),
        (f"    {POINTS}", "", "", "", "", plain(room.most)),
        *(canvas_row(student, CANVAS_IDS[id_kind]) for student in room.students),
    ]
    return as_csv(rows)


def canvas_row(student: Student, id_column: int) -> Row:
    """Returns a student's row; without a grade where points are still open.

    A roster of Canvas's own has all its ids. Without one, `id_column` is where our ids go.
    """
    name = cell(student.name or student.id).replace(POINTS, POINTS.lower())
    if student.canvas_ids:
        return [name, *map(cell, student.canvas_ids), "", final_of(student)]
    row = [name, "", "", "", "", final_of(student)]
    row[CANVAS_IDS["login"]] = cell(student.email)
    # Canvas reads "12ab" in its own column as 12, who may be somebody else.
    if id_column != CANVAS_IDS["canvas"] or re.fullmatch("[0-9]+", student.id):
        row[id_column] = cell(student.id)
    return row

"""The state "needs you": a reason for each student or check, in report and tables alike."""

from __future__ import annotations

import csv
import io
from contextlib import closing
from pathlib import Path

from autograder.classroom.notes import Need
from autograder.classroom.policy import Policy
from autograder.reports.classroom import load
from autograder.reports.pages import environment, problems, student_page
from autograder.reports.tables import canvas, scores
from tests.autograder.small_class import book_of


def test_a_submission_that_needs_the_instructor_is_no_zero(tmp_path: Path) -> None:
    with closing(book_of(tmp_path, {"a": "111", "b": "110", "c": ""}, {})) as book:
        book.set_needs("reading", [Need("b", "a .7z archive"), Need("c", "a .rar archive")])
        book.set_needs("copy", [Need("a", "shares a run with b", "t.1", "copy")])
        room = load(book, Policy())
        book.set_needs("reading", [])
        later = load(book, Policy())
    rows = {row["id"]: row for row in csv.DictReader(io.StringIO(scores(room)))}
    assert (rows["a"]["final"], rows["b"]["final"], rows["c"]["final"]) == ("60", "", "")
    assert rows["a"]["problem"] == "needs you: t.1: shares a run with b"
    assert rows["b"]["problem"] == "needs you: a .7z archive"
    assert rows["c"]["problem"] == "needs you: a .rar archive"
    assert canvas(room, "Homework").count(",,,,,60\n") == 1
    assert [(one["student"].id, one["kind"]) for one in problems(room)] == [
        (who, "needs you") for who in "abc"
    ]
    page = student_page(room, room.students[0], environment())
    assert "has to look at this" in page and "shares a run" not in page
    assert [bool(student.needs) for student in later.students] == [True, False, False]

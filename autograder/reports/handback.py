"""Bundles students' pages in one zip, named as a platform knows its students."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath

from autograder.classroom.exports import CANVAS
from autograder.reports.classroom import Classroom
from autograder.reports.pages import environment, student_page
from autograder.reports.student import Student
from autograder.reports.text import page_name

FORMATS = ("canvas", "gradescope", "ids")
FEEDBACK = "feedback.html"


def pages(room: Classroom, layout: str, brief: bool) -> tuple[dict[str, str], list[str]]:
    """Returns each page by its name in the zip, and the students who have none there.

    Args:
        room: The class.
        layout: One of `FORMATS`.
        brief: Whether explanations are left out.
    """
    templates = environment()
    found: dict[str, str] = {}
    missing = []
    for student in room.students:
        name = name_of(student, room.homework, layout)
        if name is None:
            missing.append(student.id)
        else:
            found[name] = student_page(room, student, templates, brief)
    return found, missing


def name_of(student: Student, homework: str, layout: str) -> str | None:
    """Returns a page's name in the zip; None where the platform would not know whose it is."""
    if layout == "ids":
        return page_name(student.id)
    source = student.submission.source if student.submission else ""
    top = PurePosixPath(source).name
    if layout == "gradescope":
        folder = top.split(" [")[0]
        return f"{folder}/{page_name(student.id) if ' [' in top else FEEDBACK}" if folder else None
    match = CANVAS.match(top)
    if match is None:
        return None
    late = match["late"] or ""
    return f"{match['name']}_{late}{match['user']}_{match['upload']}_{homework}-{FEEDBACK}"


def layout_of(room: Classroom) -> str:
    """Returns the platform that most of what was handed in comes from, by its names."""
    sources = [one.submission.source for one in room.students if one.submission]
    kinds = Counter(_kinds(sources))
    return kinds.most_common(1)[0][0] if kinds else "ids"


def _kinds(sources: list[str]) -> Iterator[str]:
    for source in sources:
        name = PurePosixPath(source).name
        if CANVAS.match(name):
            yield "canvas"
        else:
            yield "gradescope" if name.startswith("submission_") else "ids"

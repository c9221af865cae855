"""Writes a class's pages: static HTML that asks nothing of anyone and runs nothing."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from autograder.base.files import write_whole
from autograder.base.results import FAILED, GRADER_ERROR
from autograder.base.text import counted
from autograder.classroom.code import solutions
from autograder.classroom.policy import clock, plain
from autograder.evidence.curves import Curve, reference_band
from autograder.grading import board
from autograder.grading.next_step import in_handout
from autograder.reports import curves, figures, items
from autograder.reports.classroom import Classroom
from autograder.reports.course import Course
from autograder.reports.reading import read_link
from autograder.reports.responses import parts
from autograder.reports.student import NEEDS_YOU, Student
from autograder.reports.student_view import view_of
from autograder.reports.text import clean, is_page_name, page_name

INDEX, STUDENTS, CODE = "index.html", "students", "code"
GENERATOR = "cs285 autograder report"
WORDS = {FAILED: "wrong", **board.WORDS}


def shown(value: object) -> object:
    """Returns what a template shows for a value; markup is our own, all else may be hostile."""
    return value if isinstance(value, Markup) else clean(str(value))


def environment() -> Environment:
    """Returns the templates with what they need."""
    found = Environment(
        loader=PackageLoader("autograder.reports"),
        autoescape=True,
        finalize=shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.globals |= {
        "generator": GENERATOR,
        "page_of": lambda student: f"{STUDENTS}/{page_name(student.id)}",
        "code_of": lambda student: f"{CODE}/{page_name(student.id)}" if student.files else "",
        "signs": figures.SIGNS,
        "shapes": figures.SHAPES,
        "on_dark": [figures.SIGNS[kind] for kind in (FAILED, GRADER_ERROR)],
        "lateness": lateness,
        "in_handout": in_handout,
        "result_word": board.result_word,
        "words": WORDS,
        "size": {"cell": figures.CELL, "readable": figures.READABLE},
        "plot": {"width": curves.WIDTH, "height": curves.HEIGHT},
    }
    found.filters |= {
        "when": when,
        "plain": plain,
        "percent": percent,
        "code": code,
        "counted": counted,
        "reading": read_link,
        "parts": parts,
    }
    return found


def when(text: str | None, zone: tzinfo, deadline: datetime | None = None) -> str:
    """Returns an ISO time as the class reads it; see `clock`."""
    try:
        moment = datetime.fromisoformat(text or "")
        return clock(moment.astimezone(zone) if moment.tzinfo else moment, deadline)
    except (ValueError, OverflowError):
        return text or "unknown"


def code(text: str) -> Markup:
    """Returns escaped text in which what stood between backticks is set as code."""
    pieces = clean(text).split("`")
    if len(pieces) % 2 == 0:  # one is left over
        return escape(clean(text))
    marked = [
        Markup("<code>{}</code>").format(part) if number % 2 else escape(part)
        for number, part in enumerate(pieces)
    ]
    return Markup("").join(marked)


def percent(share: float) -> str:
    """Returns a share in whole percent; what is neither none nor all never looks like it."""
    if 0 < share < 0.01:
        return "<1 %"
    if 0.99 < share < 1:
        return ">99 %"
    return f"{100 * share:.0f} %"


def class_page(classroom: Classroom, templates: Environment) -> str:
    """Returns the page for the instructor."""
    graded = classroom.graded
    points = [student.points for student in graded]
    found, asked = items.misconceptions(graded), items.items(classroom)
    ranks = sorted(classroom.students, key=lambda s: (-s.points, s.label.casefold()))
    return templates.get_template("class.html").render(
        room=classroom,
        heads=items.heads(classroom),
        bars=figures.histogram(items.bins(points, classroom.most)),
        heat=figures.heat_map(classroom.counted, graded),
        empty=items.most_empty(asked),
        misconceptions=found,
        frequent=items.most_frequent(found),
        items=asked,
        hardest=items.hardest(asked),
        problems=list(problems(classroom)),
        figures=list(curve_figures([c for s in classroom.students for c in s.curves])),
        ranks={student.id: number for number, student in enumerate(ranks)},
    )


def student_page(
    classroom: Classroom, student: Student, templates: Environment, brief: bool = False
) -> str:
    """Returns the page for one student: nothing of others, and no seed.

    A `brief` one has verdicts and points, and no explanation.
    """
    return templates.get_template("student.html").render(
        room=classroom,
        student=student,
        view=view_of(classroom, student),
        brief=brief,
        figures=list(curve_figures(student.curves)),
    )


def code_page(
    classroom: Classroom, student: Student, solved: Mapping[str, str], templates: Environment
) -> str:
    """Returns the instructor's page of one student's code, beside the solution."""
    return templates.get_template("code.html").render(
        room=classroom, student=student, view=view_of(classroom, student), solved=solved
    )


def curve_figures(handed_in: Sequence[Curve]) -> Iterator[curves.CurveFigure]:
    """Yields a figure for each question of which runs were handed in."""
    for question in sorted({curve.question for curve in handed_in}):
        own = [curve for curve in handed_in if curve.question == question]
        drawn = curves.figure(question, own, reference_band(question))
        if drawn:
            yield drawn


def problems(classroom: Classroom) -> Iterator[Mapping[str, Any]]:
    """Yields what an instructor has to look at, those first whose points are not final."""
    for kind_of in (unfinished, several, late):
        for student in classroom.students:
            if found := kind_of(student):
                kind, text = found
                yield {"student": student, "kind": kind, "text": text}
    for student in classroom.students:
        for one in student.overrides:
            kind = "look again" if one in student.outdated else "decided"
            again = "; something else was handed in since then" if one in student.outdated else ""
            text = f"{one.what}, {one.author}: {one.comment}{again}"
            yield {"student": student, "kind": kind, "text": text}
    for student in classroom.students:
        for message in student.copies:
            yield {"student": student, "kind": "a run of two", "text": message}


def unfinished(student: Student) -> tuple[str, str] | None:
    """Returns kind and text of a problem with a submission or its grading."""
    if not (student.grader_errors or student.needs or (student.submission and student.problem)):
        return None
    return NEEDS_YOU if student.unfinished else "look at it", student.problem


def several(student: Student) -> tuple[str, str] | None:
    """Returns kind and text where a student handed in several submissions."""
    if not student.others:
        return None
    kept = student.submission.source if student.submission else "none of them"
    rest = ", ".join(one.source for one in student.others)
    return "several submissions", f"counted: {kept}; not counted: {rest}"


def late(student: Student) -> tuple[str, str] | None:
    """Returns kind and text where a submission was late."""
    return ("late", lateness(student)) if student.settlement.late else None


def lateness(student: Student) -> str:
    """Returns how late a submission was and what that costs."""
    settled = student.settlement
    days = counted(settled.late, "late day")
    if settled.cut:
        return f"{days}: after the cut-off, counts nothing"
    if settled.by_hand:
        return f"{days}; what that costs was set by hand"
    if settled.free == settled.late:
        return f"{days}, free"
    free = f", {settled.free} of them free" if settled.free else ""
    return f"{days}{free}, penalty {counted(plain(settled.penalty), 'point')}"


class NotAReportError(OSError):
    """A folder contains files that no report wrote, which are not for us to replace."""


def write_pages(classroom: Classroom, out: Path, brief: bool = False) -> int:
    """Writes all pages, and takes away those of an earlier report; returns how many there are.

    Pages are made in full beside the old ones first, so that a full disk leaves those as they were.

    Raises:
        NotAReportError: If other files are in the way.
        OSError: If they cannot be written.
    """
    foreign = next(_foreign(out), None)
    if foreign:
        raise NotAReportError(None, f"{foreign} is no page of a report; choose another folder")
    templates = environment()
    out.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=".report-", dir=out))
    fresh.chmod(0o755)
    try:
        for name in (STUDENTS, CODE):
            (fresh / name).mkdir()
        for student in classroom.students:
            text = student_page(classroom, student, templates, brief)
            write_whole(fresh / STUDENTS / page_name(student.id), text)
        _write_code(classroom, fresh / CODE, templates)
        write_whole(fresh / INDEX, class_page(classroom, templates))
        for name in (STUDENTS, CODE):
            if (out / name).exists():
                (out / name).replace(fresh / f"old-{name}")
            if name == STUDENTS or any((fresh / name).iterdir()):
                (fresh / name).replace(out / name)
        (fresh / INDEX).replace(out / INDEX)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return 1 + len(classroom.students)


def write_course(course: Course, out: Path) -> None:
    """Writes the page over all homeworks of a course.

    Raises:
        NotAReportError: If another file is in its place.
        OSError: If it cannot be written.
    """
    if foreign := next(_foreign(out), None):
        raise NotAReportError(None, f"{foreign} is no page of a report; choose another folder")
    out.mkdir(parents=True, exist_ok=True)
    text = environment().get_template("course.html").render(course=course)
    write_whole(out / INDEX, text)


def _write_code(classroom: Classroom, folder: Path, templates: Environment) -> None:
    """Writes the instructor's page of each student whose code was kept."""
    theirs = [student for student in classroom.students if student.files]
    solved = solutions(classroom.homework) if theirs else {}
    for student in theirs:
        text = code_page(classroom, student, solved, templates)
        write_whole(folder / page_name(student.id), text)


def _foreign(out: Path) -> Iterator[Path]:
    """Yields files in the places of pages that are no pages."""
    index = out / INDEX
    if index.exists() and GENERATOR not in index.read_text(encoding="utf-8", errors="replace"):
        yield index
    for folder in (out / STUDENTS, out / CODE):
        if folder.exists():
            yield from (file for file in folder.iterdir() if not is_page_name(file.name))

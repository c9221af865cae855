"""Shapes of the figures: where every bar and cell of a picture lies, as the templates draw it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from autograder.base.results import BLANK, FAILED, GRADER_ERROR, PASSED
from autograder.reports.scores import Blank
from autograder.reports.student import Student

WIDE = 900.0  # of the heat map's cells together
ROW, CELL = 22.0, 18.0
NARROW, BROAD = 2.5, 28.0  # a column's width, at least and at most
READABLE = 13.0  # a column's width from which a sign fits

KINDS = (PASSED, FAILED, BLANK, GRADER_ERROR)
SIGNS = {PASSED: "\u2713", FAILED: "\u2717", BLANK: "\u25cb", GRADER_ERROR: "!"}
# Where in a cell its bar begins and ends, so that narrow ones differ without colour as well.
SHAPES = {
    PASSED: (0.0, 1.0),
    FAILED: (0.45, 1.0),
    BLANK: (0.86, 1.0),
    GRADER_ERROR: (0.0, 0.45),
}


@dataclass(frozen=True)
class Bar:
    """One bar of a histogram; the longest has length 1."""

    length: float
    count: int
    label: str


def histogram(counts: Sequence[tuple[int, int, int]]) -> tuple[Bar, ...]:
    """Returns the bars for (first, last, how many) ranges."""
    most = max((count for _, _, count in counts), default=0) or 1
    return tuple(
        Bar(count / most, count, f"{low}" if low == high else f"{low}\u2013{high}")
        for low, high, count in counts
    )


@dataclass(frozen=True)
class HeatMap:
    """Blanks by students: a row a blank, a column a student.

    Attributes:
        step: A column's width.
        width: Of all columns.
        height: Of all rows.
        rows: Each blank, the y of its row, and the share of students who passed, if it is known.
        columns: Each student, from most points to fewest, and the x of the column.
        paths: Verdict -> all its bars, as an SVG path.
        signs: (x, y, sign) where columns are wide enough; else empty.
    """

    step: float
    width: float
    height: float
    rows: list[tuple[Blank, float, float | None]]
    columns: list[tuple[Student, float]]
    paths: dict[str, str]
    signs: list[tuple[float, float, str]]


def heat_map(blanks: Sequence[Blank], graded: Sequence[Student]) -> HeatMap:
    """Lays out the verdicts on students, from most points to fewest."""
    ids = [blank.id for blank in blanks]
    ordered = sorted(graded, key=lambda s: (-s.points, [_rank(s, i) for i in ids], s.label))
    step = min(BROAD, max(NARROW, WIDE / max(len(ordered), 1)))
    columns = [(student, number * step) for number, student in enumerate(ordered)]
    rows = [(blank, line * ROW, passed_share(blank, graded)) for line, blank in enumerate(blanks)]
    paths: dict[str, str] = {}
    signs = []
    for student, x in columns:
        for blank, y, _ in rows:
            if blank.id not in student.verdicts:
                continue
            kind = student.verdicts[blank.id].verdict
            paths[kind] = paths.get(kind, "") + _bar(kind, x, y, step)
            if step >= READABLE:
                signs.append((x + step / 2, y + CELL / 2, SIGNS[kind]))
    return HeatMap(step, step * len(ordered), ROW * len(ids), rows, columns, paths, signs)


def passed_share(blank: Blank, graded: Sequence[Student]) -> float | None:
    """Returns the share of students who passed, of those whom the grader could judge, if any."""
    found = [s.verdicts[blank.id].verdict for s in graded if blank.id in s.verdicts]
    judged = [verdict for verdict in found if verdict != GRADER_ERROR]
    return judged.count(PASSED) / len(judged) if judged else None


def _rank(student: Student, check: str) -> int:
    """Returns where a verdict stands among others, so that like columns lie side by side."""
    verdict = student.verdicts.get(check)
    return KINDS.index(verdict.verdict) if verdict else len(KINDS)


def _bar(kind: str, x: float, y: float, step: float) -> str:
    top, bottom = SHAPES[kind] if step < READABLE else (0.0, 1.0)
    gap = 1.0 if step >= READABLE else 0.3
    width, height = step - gap, (bottom - top) * CELL
    return f"M{x:.4g} {y + top * CELL:.5g}h{width:.3g}v{height:.4g}h{-width:.3g}z"

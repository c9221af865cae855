"""Questions that people grade: a rubric, and a table with a column for each of its items."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path

from autograder.base.text import UsageError
from autograder.classroom.gradebook import Gradebook
from autograder.classroom.policy import plain
from autograder.classroom.roster import csv_rows

RUBRIC = "rubric"  # the fact
HEAD = ("question", "item", "points")
COMMENT = "comment"
MOST = Decimal(1000)
QUESTION = re.compile(r"[\w.-]{1,40}")


@dataclass(frozen=True)
class Item:
    """One line of a rubric."""

    question: str
    text: str
    points: Decimal

    @property
    def column(self) -> str:
        """Its title in the table that people fill in."""
        return f"{self.question}: {self.text} ({plain(self.points)})"


@dataclass(frozen=True)
class Grade:
    """The points that somebody gave one student for one item; its comment, if it has no item."""

    student: str
    question: str
    item: str
    points: Decimal | None
    comment: str
    author: str
    made: str


def read_rubric(file: Path) -> list[Item]:
    """Reads a rubric: a CSV with the columns question, item and points.

    Raises:
        UsageError: If it is none; one line names the row.
    """
    rows = csv_rows(file)
    if tuple(cell.strip().lower() for cell in rows[0][:3]) != HEAD:
        raise UsageError(f"{file}: its first line must be {','.join(HEAD)}")
    items: list[Item] = []
    for number, row in enumerate(rows[1:], 2):
        if any(cell.strip() for cell in row):
            items.append(_item(file, number, row))
    if not items:
        raise UsageError(f"{file} contains no question")
    if len({(one.question, one.text) for one in items}) < len(items):
        raise UsageError(f"{file} has one item of a question twice")
    return items


def _item(file: Path, number: int, row: Sequence[str]) -> Item:
    cells = [cell.strip() for cell in row] + [""] * 3
    if not QUESTION.fullmatch(cells[0]):
        raise UsageError(f"{file}:{number}: {cells[0]!r} is no name of a question, such as q1")
    points = number_of(f"{file}:{number}", cells[2])
    if not points or not 0 < points <= MOST:
        raise UsageError(f"{file}:{number}: points must be above 0 and at most {MOST}")
    return Item(cells[0], cells[1] or "answer", points)


def number_of(where: str, text: str) -> Decimal | None:
    """Reads a number, with a point or a comma; None where there is none.

    Raises:
        UsageError: If it is none.
    """
    if not text.strip():
        return None
    try:
        found = Decimal(text.strip().replace(",", "."))
    except InvalidOperation:
        found = Decimal("nan")
    if not found.is_finite():
        raise UsageError(f"{where}: {text!r} is no number")
    return found


def set_rubric(book: Gradebook, items: Sequence[Item]) -> None:
    """Writes the rubric down; what was graded by an earlier one stays where its items do."""
    plainly = [(one.question, one.text, str(one.points)) for one in items]
    book.set_fact(RUBRIC, json.dumps(plainly))


def rubric(book: Gradebook) -> list[Item]:
    """Returns the rubric; empty if nobody grades by hand."""
    return [
        Item(question, text, Decimal(points))
        for question, text, points in json.loads(book.fact(RUBRIC) or "[]")
    ]


def grades(book: Gradebook) -> dict[str, dict[tuple[str, str], Grade]]:
    """Returns what people gave: student -> (question, item) -> grade."""
    found: dict[str, dict[tuple[str, str], Grade]] = {}
    for row in book.connection.execute("SELECT * FROM answers"):
        points = None if row["points"] is None else Decimal(row["points"])
        key = row["question"], row["item"]
        rest = row["comment"], row["author"], row["made"]
        found.setdefault(row["student"], {})[key] = Grade(row["student"], *key, points, *rest)
    return found


def sheet(book: Gradebook, students: Mapping[str, str]) -> Iterator[Sequence[str]]:
    """Yields the rows of the table to fill in: what is graded already is in it.

    Args:
        book: The gradebook.
        students: Each student's name, by id.
    """
    columns = _columns(rubric(book))
    yield ("id", "name", *columns)
    known = grades(book)
    for student, name in students.items():
        cells = []
        for question, item in columns.values():
            one = known.get(student, {}).get((question, item))
            text = "" if one is None else one.comment
            if item:
                text = "" if one is None or one.points is None else plain(one.points)
            cells.append(text)
        yield (student, name, *cells)


def _columns(items: Iterable[Item]) -> dict[str, tuple[str, str]]:
    """Returns question and item by the title of their column; a comment has no item."""
    found: dict[str, tuple[str, str]] = {}
    by_question: dict[str, list[Item]] = {}
    for one in items:
        by_question.setdefault(one.question, []).append(one)
    for question, those in by_question.items():
        found |= {one.column: (question, one.text) for one in those}
        found[f"{question}: {COMMENT}"] = question, ""
    return found


def read_sheet(file: Path, book: Gradebook, known: Iterable[str], by: str, now: str) -> list[Grade]:
    """Reads the table that people filled in.

    Raises:
        UsageError: If a student, a column or a number is wrong; one line names the row.
    """
    items = rubric(book)
    columns, rows, students = _columns(items), csv_rows(file), set(known)
    head = [cell.strip() for cell in rows[0]]
    if head[:1] != ["id"]:
        raise UsageError(f"{file}: its first column must be id")
    for title in head[1:]:
        if title not in columns and title != "name":
            raise UsageError(f"{file}: the rubric has no column {title!r}")
    found: dict[str, list[Grade]] = {}
    for number, row in enumerate(rows[1:], 2):
        cells, where = dict(zip(head, row, strict=False)), f"{file}:{number}"
        student = cells.get("id", "").strip().removeprefix("'")
        if not any(cell.strip() for cell in row):
            continue
        if student not in students:
            raise UsageError(f"{where}: the gradebook knows no student {student!r}")
        if student in found:
            raise UsageError(f"{where}: the student {student!r} is there twice")
        there = {title: key for title, key in columns.items() if title in cells}
        most = {(one.question, one.text): one.points for one in items}
        found[student] = [
            Grade(student, *key, *_cell(f"{where}, {title}", cells[title], most.get(key)), by, now)
            for title, key in there.items()
        ]
    return [one for every in found.values() for one in every]


def _cell(where: str, text: str, most: Decimal | None) -> tuple[Decimal | None, str]:
    """Returns points and comment of a cell; a comment's column has no most points.

    Raises:
        UsageError: If the points are none, or too many.
    """
    if most is None:
        return None, text.strip()
    points = number_of(where, text)
    if points is not None and not 0 <= points <= most:
        raise UsageError(f"{where}: {text} must lie between 0 and {plain(most)}")
    return points, ""


def set_grades(book: Gradebook, found: Sequence[Grade]) -> int:
    """Writes grades down that are new or others than before; returns for how many students.

    An empty cell takes back what was there.
    """
    known = grades(book)
    changed = []
    for one in found:
        old = known.get(one.student, {}).get((one.question, one.item))
        before = (old.points, old.comment) if old else (None, "")
        if before != (one.points, one.comment):
            changed.append(one)
    gone = [(g.student, g.question, g.item) for g in changed if g.points is None and not g.comment]
    book.write("DELETE FROM answers WHERE student = ? AND question = ? AND item = ?", gone)
    rows = [
        (
            g.student,
            g.question,
            g.item,
            None if g.points is None else str(g.points),
            g.comment,
            g.author,
            g.made,
        )
        for g in changed
        if g.points is not None or g.comment
    ]
    book.write("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
    return len({one.student for one in changed})

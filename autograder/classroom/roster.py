"""The class: who should have handed something in."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from autograder.base.errors import UsageError

COLUMNS = {
    "id": ("id", "sid", "student id", "sis user id", "student"),
    "name": ("name", "full name", "student name"),
    "email": ("email", "email address", "sis login id", "login id"),
}
LARGEST = 16 * 2**20


@dataclass(frozen=True)
class Student:
    """A line of the roster."""

    id: str
    name: str | None = None
    email: str | None = None


def read_roster(file: Path) -> list[Student]:
    """Reads a roster: a CSV with a column id, and perhaps name and email, in any order.

    Raises:
        UsageError: If there is no such column, or one student twice.
    """
    rows = csv_rows(file)
    places = {key: _place(rows[0], names) for key, names in COLUMNS.items()}
    if places["id"] is None:
        raise UsageError(f"{file} has no column 'id'; its first line is: {','.join(rows[0])[:80]}")
    students: dict[str, Student] = {}
    for row in rows[1:]:
        cells = {key: _cell(row, place) for key, place in places.items()}
        if not cells["id"]:
            continue
        if cells["id"] in students:
            raise UsageError(f"{file} has the student {cells['id']!r} twice")
        students[cells["id"]] = Student(**cells)  # type: ignore[arg-type]
    return list(students.values())


def csv_rows(file: Path) -> list[list[str]]:
    """Returns the rows of a CSV file, at least one.

    Raises:
        UsageError: If there are none.
    """
    try:
        if file.stat().st_size > LARGEST:
            raise UsageError(f"{file} is larger than {LARGEST >> 20} MB")
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} is not UTF-8; save it as CSV in UTF-8") from error
    first = text.partition("\n")[0]
    separator = ";" if first.count(";") > first.count(",") else ","  # as spreadsheets write it
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    if not rows:
        raise UsageError(f"{file} is empty; its first line names the columns: id,name,email")
    return rows


def _place(head: list[str], names: Iterable[str]) -> int | None:
    """Returns the first column with one of these names."""
    plain = [cell.strip().lower() for cell in head]
    return next((plain.index(name) for name in names if name in plain), None)


def _cell(row: list[str], place: int | None) -> str | None:
    """Returns a cell's text; None if there is none."""
    return row[place].strip() or None if place is not None and place < len(row) else None


def match(sender: str, email: str | None, roster: Iterable[Student]) -> Student | None:
    """Finds who a submission is from: by id, else by email, else by name, whatever the case."""
    wanted = sender.strip().lower()
    keys = (
        lambda s: s.id.lower() == wanted,
        lambda s: bool(s.email) and s.email.lower() in (wanted, (email or "").lower()),
        lambda s: bool(s.email) and s.email.split("@")[0].lower() == wanted,
        lambda s: bool(s.name) and s.name.lower().replace(" ", "") == wanted.replace(" ", ""),
    )
    students = list(roster)
    for key in keys:
        hits = [student for student in students if key(student)]
        if len(hits) == 1:
            return hits[0]
    return None

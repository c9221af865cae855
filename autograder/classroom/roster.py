"""The class: who should have handed something in."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.base.text import UsageError, folded, one_line, visible
from autograder.classroom.policy_file import nearest

# The names of columns without case, spaces and signs: "E-Mail" is "email".
COLUMNS = {
    "id": ("id", "sid", "studentid", "sisuserid", "idnumber", "studentnumber", "student"),
    "name": ("name", "fullname", "studentname"),
    "email": ("email", "emailaddress", "mail", "sisloginid", "loginid"),
}
# Canvas's gradebook: its own number, the university's, the login; names as "Lovelace, Ada".
CANVAS = {"name": "student", "number": "id", "id": "sisuserid", "login": "sisloginid"}
FIRST, LAST = ("firstname", "first", "givenname"), ("lastname", "last", "surname")
ROLE, STUDENT_ROLE = "role", "student"
READ = {*FIRST, *LAST, ROLE, *(name for names in COLUMNS.values() for name in names)}
POINTS_ROW, TEST_STUDENT = "points possible", "student, test"  # of Canvas, in the place of a name
LARGEST = 16 * 2**20
STRANGER = "not in the roster"
STRUCK = re.compile(r"LATIN (?:SMALL|CAPITAL) LETTER (\w) WITH ")


@dataclass(frozen=True)
class Student:
    """A line of the roster."""

    id: str
    name: str | None = None
    email: str | None = None
    others: tuple[str, ...] = ()
    """Further ids of the same student, such as Canvas's number."""
    canvas: tuple[str, ...] = ()
    """Canvas's number, the university's id and the login, as Canvas's own list has them."""


def read_roster(file: Path, show: Callable[[str], None] = print) -> list[Student]:
    """Reads a roster: a CSV with a column id, and perhaps name and email, in any order.

    Class lists of Canvas (its gradebook's export), Gradescope and Moodle are read too. What columns
    of other lists are not read is shown.

    Raises:
        UsageError: If there is no such column, or one student twice.
    """
    rows = csv_rows(file)
    head = [plain_head(cell) for cell in rows[0]]
    is_canvas = set(CANVAS.values()) <= {*head}
    line_of = _canvas_line if is_canvas else _line
    students: dict[str, Student] = {}
    for row in rows[1:]:
        cells = dict(zip(head, (visible(cell) for cell in row), strict=False))
        student = line_of(cells)
        if student is None:
            continue
        if student.id in students:
            raise UsageError(f"{file} has the student {student.id!r} twice")
        students[student.id] = student
    if (
        not students
        and _place(head, COLUMNS["id"]) is None
        and _place(head, COLUMNS["email"]) is None
    ):
        raise UsageError(f"{file} has no column 'id'; its first line is: {','.join(rows[0])[:80]}")
    unread = [cell for cell, name in zip(rows[0], head, strict=True) if name not in READ]
    if unread and not is_canvas:
        show(f"{file.name}: these columns are not read: {one_line(', '.join(unread))}")
    return list(students.values())


def plain_head(cell: str) -> str:
    """Returns a column's name without case, spaces and signs."""
    return "".join(c for c in cell.casefold() if c.isalnum())


def _canvas_line(cells: Mapping[str, str]) -> Student | None:
    """Returns the student in a row of Canvas's gradebook; None in a row about points."""
    name = cells.get(CANVAS["name"], "")
    if name.lower() in ("", POINTS_ROW, TEST_STUDENT):
        return None
    number, own, login = (cells.get(CANVAS[key], "") for key in ("number", "id", "login"))
    last, _, first = name.partition(",")
    ids = [one for one in (own, number, login) if one]
    if not ids:
        return None
    email = login if "@" in login else None
    known = (number, own, login)
    return Student(ids[0], f"{first} {last}".strip(), email, tuple(ids[1:]), known)


def _line(cells: Mapping[str, str]) -> Student | None:
    """Returns the student in a row of any other list; None for staff, and in an empty row."""
    found = {key: _first(cells, names) for key, names in COLUMNS.items()}
    if cells.get(ROLE, STUDENT_ROLE).lower() not in ("", STUDENT_ROLE):
        return None
    name = found["name"] or f"{_first(cells, FIRST)} {_first(cells, LAST)}".strip()
    of_a_platform = ROLE in cells or any(column in cells for column in LAST)
    who = found["id"] or (found["email"] if of_a_platform else "")
    return Student(who, name or None, found["email"] or None) if who else None


def _first(cells: Mapping[str, str], names: Iterable[str]) -> str:
    """Returns the cell of the first column with one of these names; "" if there is none."""
    return next((cells[name] for name in names if name in cells), "")


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
    delimiter = max(",;\t", key=first.count)  # as spreadsheets write it here and there
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    if not rows:
        raise UsageError(f"{file} is empty; its first line names the columns: id,name,email")
    return rows


def _place(head: list[str], names: Iterable[str]) -> int | None:
    """Returns the first column with one of these names."""
    return next((head.index(name) for name in names if name in head), None)


COUNTED = re.compile(r"\s*\(\d+\)$")  # "eadams (1)", as browsers call a second download


def match(sender: str, email: str | None, roster: Iterable[Student]) -> tuple[Student | None, str]:
    """Finds who a submission is from: by id, else by email, else by name, whatever the case.

    A name that nobody has letter by letter is compared without accents and signs, in both orders.

    Returns:
        The student, and why somebody has to look at that; "" if all agrees. Anybody may type an
        id, and an email is what they log in with: so where the two are of two, the email decides.
    """
    wanted, mail = folded(COUNTED.sub("", sender)), folded(email or "")
    students, letters = list(roster), letters_of(wanted)
    keys: tuple[Callable[[Student], bool], ...] = (
        lambda s: wanted in (folded(s.id), *map(folded, s.others)),
        lambda s: bool(s.email) and folded(s.email or "") in (wanted, mail),
        lambda s: bool(s.email) and folded(s.email or "").split("@")[0] == wanted,
        lambda s: bool(s.name) and wanted in _spellings(s.name or ""),
        lambda s: bool(s.name and letters) and letters in map(letters_of, _spellings(s.name or "")),
    )
    hits = [[student for student in students if key(student)] for key in keys]
    by_email = [student for student in students if mail and folded(student.email or "") == mail]
    found = next((one[0] for one in hits if len(one) == 1), None)
    if found and len(by_email) == 1 and by_email[0] is not found:
        other = by_email[0]
        return other, f"it came with the id {sender} of {found.id}, and the email of {other.id}"
    if found or not students:
        return found, ""
    return None, _not_found(sender, students, next(filter(None, hits), []))


def _not_found(sender: str, students: Iterable[Student], several: Sequence[Student]) -> str:
    """Returns why nobody is known as the sender."""
    if several:
        ids = ", ".join(student.id for student in several)
        return f"{several[0].name} may be any of {ids} in the roster"
    known = [name for one in students for name in (one.id, one.name, one.email) if name]
    return f"{sender!r} is {STRANGER}{nearest(sender, known)}"


def letters_of(name: str) -> str:
    """Returns a name's letters and digits without accents: "Łukasz O’Neil" is "lukaszoneil"."""
    apart = unicodedata.normalize("NFKD", folded(name))
    return "".join(_plain_letter(c) for c in apart if c.isalnum())


def _plain_letter(letter: str) -> str:
    """Returns a Latin letter without what is written through it, such as that of "ø"."""
    found = STRUCK.match(unicodedata.name(letter, ""))
    return found[1].lower() if found else letter


def _spellings(name: str) -> set[str]:
    """Returns a name as platforms write it: "ada lovelace", "adalovelace", "lovelaceada"."""
    words = folded(name).replace(",", " ").split()
    turned = [*words[-1:], *words[:-1]]
    return {
        " ".join(words),
        "".join(words),
        "".join(turned),
        "".join(re.findall(r"\w", "".join(turned))),
    }

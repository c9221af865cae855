"""Writes down who handed in what, and prints what is odd about it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

from autograder.base.text import folded
from autograder.classroom.code import keep_files, kept_files
from autograder.classroom.gradebook import Gradebook, Submission
from autograder.classroom.notes import LATENESS, Held, Need
from autograder.classroom.reader import Found
from autograder.classroom.roster import Student, match
from autograder.classroom.survey import to_look_at

OTHER_IDS, CANVAS_IDS = "other ids", "canvas ids"  # facts
LATE = "Canvas marks it as late, and does not say by how much"


def list_submissions(
    book: Gradebook,
    homework: str,
    found: Sequence[Found],
    roster: Sequence[Student],
    show: Callable[[str], None] = print,
) -> int:
    """Writes down who handed in what; returns how many students there are.

    Without a roster, that of an earlier time counts: nobody changes their name in between.
    """
    if roster:
        keep_roster(book, roster)
    roster = roster or known_roster(book)
    students = {s.id: (s.id, s.name, s.email) for s in roster}
    rows, needs, held = [], list[Need](), list[Held]()
    strangers = with_one_id(found)
    for one in found:
        row, doubt = row_of(homework, one, roster)
        doubt = doubt or strangers.get(one.source, "")
        students.setdefault(row.student, (row.student, one.sender.name, one.sender.email))
        rows.append(row)
        if row.digest is not None:
            keep_files(book, row.digest, kept_files(homework, one.files))
        needs += [Need(row.student, why) for why in (doubt, one.needs) if why]
        if one.sender.late and not one.sender.received:
            needs.append(Need(row.student, LATE, LATENESS))
            show(f"{one.source}: {LATE}")
        for why in filter(None, (doubt, row.problem, one.needs, *one.remarks)):
            show(f"{one.source}: {why}")
        if row.digest:
            origin = str(one.places[0]) if one.places else row.source
            held.append(Held(row.student, row.digest, row.received or "", origin))
    counting = {student: row.source for student, row in latest(rows, show).items()}
    book.set_students(students.values(), [student.id for student in roster])
    book.set_submissions(replace(row, counts=row.source == counting[row.student]) for row in rows)
    book.set_needs("reading", needs)
    book.add_held(held)
    return len(counting)


def keep_roster(book: Gradebook, roster: Sequence[Student]) -> None:
    """Keeps what a roster knows beyond names and emails: further ids of a student."""
    book.set_fact(OTHER_IDS, json.dumps({one.id: one.others for one in roster if one.others}))
    book.set_fact(CANVAS_IDS, json.dumps({one.id: one.canvas for one in roster if one.canvas}))


def canvas_ids(book: Gradebook) -> dict[str, tuple[str, ...]]:
    """Returns Canvas's number, the university's id and the login of each student, as kept."""
    kept = json.loads(book.fact(CANVAS_IDS) or "{}")
    return {who: tuple(ids) for who, ids in kept.items()}


def known_roster(book: Gradebook) -> list[Student]:
    """Returns the roster that a gradebook was given; empty if it never was."""
    others, canvas = json.loads(book.fact(OTHER_IDS) or "{}"), canvas_ids(book)
    people = book.students()
    found = []
    for who in json.loads(book.fact("roster") or "[]"):
        name, email = people.get(who, ("", ""))
        more = (tuple(others.get(who, ())), canvas.get(who, ()))
        found.append(Student(who, name or None, email or None, *more))
    return found


def with_one_id(found: Sequence[Found]) -> dict[str, str]:
    """Returns why somebody has to look at submissions of two emails that have one id, by source."""
    emails: dict[str, set[str]] = {}
    for one in found:
        if one.sender.email:
            emails.setdefault(one.sender.student, set()).add(folded(one.sender.email))
    return {
        one.source: f"the id {one.sender.student} came from {' and '.join(sorted(mails))}"
        for one in found
        if len(mails := emails.get(one.sender.student, set())) > 1
    }


def row_of(homework: str, one: Found, roster: Sequence[Student]) -> tuple[Submission, str]:
    """Returns what the gradebook notes of a submission, which does not count yet.

    Returns:
        That, and why somebody has to look at whose it is; "" if that is known.
    """
    known, doubt = match(one.sender.student, one.sender.email, roster)
    student = known.id if known else one.sender.student
    problem = one.problem or "; ".join(to_look_at(homework, one.files))
    row = Submission(one.source, student, one.sender.received, one.digest, problem or None, False)
    return row, doubt


def latest(rows: Sequence[Submission], show: Callable[[str], None]) -> dict[str, Submission]:
    """Returns each student's latest submission, of those that can be read, if there are any."""
    chosen: dict[str, Submission] = {}
    for row in sorted(rows, key=lambda r: (r.digest is not None, r.received or "", r.source)):
        if row.student in chosen:
            other = chosen[row.student].source
            show(f"{row.student}: {other} and {row.source}; the latter counts")
        chosen[row.student] = row
    return chosen

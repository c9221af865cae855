"""Writes down who handed in what: whose it is, which of several counts, and what is doubtful."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from autograder.base.visible import folded
from autograder.classroom.gradebook import Gradebook, Submission
from autograder.classroom.notes import Held, Need
from autograder.classroom.reader import Found
from autograder.classroom.roster import Student, match
from autograder.source import wrong_handout

LATE = "Canvas marks it as late, and does not say by how much"


def list_submissions(
    book: Gradebook, homework: str, found: Sequence[Found], roster: Sequence[Student]
) -> int:
    """Writes down who handed in what; returns how many students there are."""
    students = {s.id: (s.id, s.name, s.email) for s in roster}
    rows, needs, held = [], list[Need](), list[Held]()
    strangers = with_one_id(found)
    for one in found:
        row, doubt = row_of(homework, one, roster)
        doubt = doubt or strangers.get(one.source, "")
        students.setdefault(row.student, (row.student, one.sender.name, one.sender.email))
        rows.append(row)
        needs += [Need(row.student, why) for why in (doubt, one.needs) if why]
        if one.sender.late and not one.sender.received:
            needs.append(Need(row.student, LATE, "late"))
        for why in filter(None, (doubt, row.problem, one.needs, *one.remarks)):
            print(f"{one.source}: {why}")
        if row.digest:
            origin = str(one.places[0]) if one.places else row.source
            held.append(Held(row.student, row.digest, row.received or "", origin))
    counting = {student: row.source for student, row in latest(rows).items()}
    book.set_students(students.values(), [student.id for student in roster])
    book.set_submissions(replace(row, counts=row.source == counting[row.student]) for row in rows)
    book.set_needs("reading", needs)
    book.add_held(held)
    return len(counting)


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
    if known is None and roster:
        print(f"{one.source}: {one.sender.student!r} is not in the roster; graded all the same")
    student = known.id if known else one.sender.student
    problem = one.problem or wrong_handout.line_on(homework, one.files) or None
    row = Submission(one.source, student, one.sender.received, one.digest, problem, False)
    return row, doubt


def latest(rows: Sequence[Submission]) -> dict[str, Submission]:
    """Returns each student's latest submission, of those that can be read, if there are any."""
    chosen: dict[str, Submission] = {}
    for row in sorted(rows, key=lambda r: (r.digest is not None, r.received or "", r.source)):
        if row.student in chosen:
            other = chosen[row.student].source
            print(f"{row.student}: {other} and {row.source}; the latter counts")
        chosen[row.student] = row
    return chosen

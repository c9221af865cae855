"""Finds the student whom somebody means, and who it is that decides."""

from __future__ import annotations

import getpass
from datetime import UTC, datetime

from autograder.base.text import UsageError, folded
from autograder.classroom.gradebook import Gradebook, Submission
from autograder.classroom.policy_file import nearest
from autograder.classroom.roster import Student, match


def find_student(book: Gradebook, text: str) -> str:
    """Returns the id of a student who is named by id, email or name.

    Raises:
        UsageError: If there is no such student, or more than one.
    """
    people = {who: Student(who, name, email) for who, (name, email) in book.students().items()}
    for submission in book.submissions():
        people.setdefault(submission.student, Student(submission.student))
    if text in people:
        return text
    found, _ = match(text, None, people.values())
    if found:
        return found.id
    same = [who for who, one in people.items() if folded(one.name or "") == folded(text)]
    if len(same) > 1:
        raise UsageError(f"several students are called {text!r}: give one of {', '.join(same)}")
    names = [*people, *(one.name for one in people.values() if one.name)]
    raise UsageError(f"the gradebook knows no student {text!r}{nearest(text, names)}")


def submission_of(book: Gradebook, student: str) -> Submission | None:
    """Returns what counts for a student; None if nothing was handed in."""
    return next((s for s in book.submissions() if s.student == student and s.counts), None)


def author(given: str | None) -> str:
    """Returns who decides: the name that was given, or that of the login.

    Raises:
        UsageError: If there is none.
    """
    try:
        name = (getpass.getuser() if given is None else given).strip()
    except (OSError, KeyError):
        name = ""
    if not name:
        raise UsageError("--by: give the name of whoever decides; the student reads it")
    return name


def now() -> str:
    """Returns the present time, ISO, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")

"""Stable names that are nobody's, for tables that leave the course."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Callable
from dataclasses import replace

from autograder.classroom.gradebook import Gradebook
from autograder.reports.classroom import Classroom
from autograder.reports.student import Student

KEY = "pseudonyms"  # the fact
LENGTH = 8


def key_of(book: Gradebook) -> str:
    """Returns the secret of a gradebook's pseudonyms, drawn when it is first asked for."""
    if book.fact(KEY) is None:
        book.set_fact(KEY, secrets.token_hex(16))
    return str(book.fact(KEY))


def namer(key: str) -> Callable[[str], str]:
    """Returns what names a student: the same with the same key, and nobody's without it."""

    def name(student: str) -> str:
        digest = hmac.new(key.encode(), student.encode("utf-8", "surrogatepass"), hashlib.sha256)
        return "P" + base64.b32encode(digest.digest()).decode()[:LENGTH]

    return name


def without_names(room: Classroom, name: Callable[[str], str]) -> Classroom:
    """Returns the class in which nothing names anybody; sorted by the new names.

    Emails are left out. So are remarks and comments, which people write and which may name others.
    """
    students = [_nobody(student, name) for student in room.students]
    used = {name(who): days for who, days in room.policy.used.items()}
    policy = replace(room.policy, used=used, extensions={})
    students.sort(key=lambda student: student.id)
    return replace(room, students=students, policy=policy)


def _nobody(student: Student, name: Callable[[str], str]) -> Student:
    submission = student.submission and replace(
        student.submission, source="", student="", problem=None
    )
    found = replace(student, id=name(student.id), name="", email="", canvas_ids=(), others=())
    return replace(found, submission=submission, copies=(), overrides=(), nameless=True)

"""A class of a few students in a homework of three checks, whose every number is known."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from autograder.base.results import FAILED, GRADER_ERROR, PASSED, Misconception, Verdict
from autograder.classroom.gradebook import Gradebook, Submission
from autograder.classroom.policy import Policy
from autograder.reports.classroom import Classroom, load

A = Misconception("a.one", "The `first` thing.", "It <hurts> `learning`.", "Book, chapter 1")
B = Misconception("b.two", "The second thing.", "It hurts.", "Book, chapter 2")


def book_of(
    folder: Path, passed: dict[str, str], misconceptions: dict[str, tuple[Misconception, ...]]
) -> Gradebook:
    """A class in a homework of three checks; "1", "0", "E" or "-" for each of them."""
    book = Gradebook(folder, create=True)
    book.set_fact("homework", "test")
    book.set_students((who, None, None) for who in passed)
    grading = book.begin("grader", 5, "2026-01-01T00:00:00+00:00")
    book.set_submissions(
        Submission(who, who, None, f"digest {who}", None, True) for who in passed if passed[who]
    )
    for who, signs in passed.items():
        for number, sign in enumerate(signs):
            kind = {"1": PASSED, "0": FAILED, "E": GRADER_ERROR}.get(sign)
            if kind:
                points = 10 * (number + 1)
                named = misconceptions.get(who, ()) if kind == FAILED else ()
                earned = points if kind == PASSED else 0
                verdict = Verdict(f"t.{number}", "title", earned, points, kind, named)
                book.add_verdict(f"digest {who}", grading, verdict)
    book.finish(grading, "2026-01-01T00:01:00+00:00")
    return book


def room_of(folder: Path, **passed: str) -> Classroom:
    with closing(book_of(folder, passed, {"b": (A,), "c": (B, A), "d": (A,)})) as book:
        return load(book, Policy())

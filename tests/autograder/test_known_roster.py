"""A gradebook remembers the roster that it was given."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from autograder.classroom.exports import Sender
from autograder.classroom.gradebook import Gradebook
from autograder.classroom.listing import known_roster, list_submissions
from autograder.classroom.reader import Found
from autograder.classroom.roster import Student

ROSTER = [Student("u1", "Ada Berg", "ada@x.edu", ("4711",)), Student("u2", "Ben Cho")]


def test_a_later_command_needs_no_roster(tmp_path: Path) -> None:
    """Whoever is known by Canvas's number is the same student, with the same name."""
    found = [Found("a.zip", Sender("4711", "bergada")), Found("b.zip", Sender("u2", "other name"))]
    with closing(Gradebook(tmp_path, create=True)) as book:
        assert known_roster(book) == []
        list_submissions(book, "hw3", found, ROSTER, lambda _: None)
        before = book.students(), [one.student for one in book.submissions()]
        assert before[1] == ["u1", "u2"]
        lines: list[str] = []
        list_submissions(book, "hw3", found, [], lines.append)
        assert (book.students(), [one.student for one in book.submissions()]) == before
        assert not [line for line in lines if "roster" in line]
        assert known_roster(book) == ROSTER

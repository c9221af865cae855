"""A roster says whose submission it is; a namesake gets nobody else's points."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.base.errors import UsageError
from autograder.classroom.roster import Student, match, read_roster

AGENT, CRITIC = b"agent = 1\n", b"critic = 1\n"


def test_rosters(tmp_path: Path) -> None:
    file = tmp_path / "roster.csv"
    file.write_text("Name,SID,Email\nAnn Lee,1,ann@u.edu\nBo,2,\n\n", encoding="utf-8-sig")
    ann, bo = roster = read_roster(file)
    assert ann == Student("1", "Ann Lee", "ann@u.edu")
    for sender, email, who in [
        ("1", None, ann), ("ann", None, ann), ("x", "ANN@u.edu", ann), ("annlee", None, ann),
        ("bo", None, bo), ("eve", None, None),
    ]:  # fmt: skip
        assert match(sender, email, roster) == who
    for text, words in [("", "is empty"), ("a,b\n", "no column 'id'"), ("id\n1\n1\n", "twice")]:
        file.write_text(text)
        with pytest.raises(UsageError, match=words):
            read_roster(file)


def test_a_name_that_two_students_have_is_nobodys() -> None:
    """Else one of them would get the other's points; their addresses still differ."""
    twins = [Student("1", "Ann Lee", "ann@u.edu"), Student("2", "Ann Lee", "lee@u.edu")]
    assert match("annlee", None, twins) is None
    assert match("annlee", None, twins[:1]) == twins[0]
    assert match("annlee", "lee@u.edu", twins) == twins[1]

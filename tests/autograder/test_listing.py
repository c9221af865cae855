"""Whose a submission is, and what the instructor has to look at."""

from __future__ import annotations

import contextlib
from pathlib import Path

from autograder.classroom.collect import collect
from autograder.classroom.gradebook import Gradebook
from autograder.classroom.listing import list_submissions
from autograder.classroom.roster import Student
from tests.autograder.hand_ins import HANDOUT, below, write_tree, write_zip

ROSTER = [Student("1", "Ann", "ann@u.edu"), Student("2", "Bob", "bob@u.edu")]


def needs_of(folder: Path, who: str, roster: list[Student]) -> list[str]:
    with contextlib.closing(Gradebook(folder / "book", create=True)) as book:
        list_submissions(book, "hw3", collect(folder / "in", HANDOUT), roster)
        return [need.reason for need in book.needs(who)]


def write_list(folder: Path, *sent: tuple[str, str]) -> None:
    lines = []
    for number, (sid, email) in enumerate(sent):
        write_tree(folder / "in" / f"submission_{number}", "")
        lines.append(f"submission_{number}:\n  :submitters:\n  - :sid: '{sid}'\n")
        lines.append(f"    :email: {email}\n  :created_at: 2026-10-0{number + 1} 10:00:00 Z\n")
    (folder / "in" / "submission_metadata.yml").write_text("".join(lines))


def test_an_id_of_somebody_else_takes_nobodys_place(tmp_path: Path) -> None:
    """Bob has typed Ann's id: his submission is later, and hers counts all the same."""
    write_list(tmp_path, ("1", "ann@u.edu"), ("1", "bob@u.edu"))
    assert len(needs_of(tmp_path, "2", ROSTER)) == 1
    with contextlib.closing(Gradebook(tmp_path / "book")) as book:
        counts = {s.student: s.source for s in book.submissions() if s.counts}
    assert counts == {"1": "submission_0", "2": "submission_1"}


def test_without_a_roster_two_emails_with_one_id_need_the_instructor(tmp_path: Path) -> None:
    write_list(tmp_path, ("1", "ann@u.edu"), ("1", "bob@u.edu"))
    (reason,) = set(needs_of(tmp_path, "1", []))
    assert "ann@u.edu and bob@u.edu" in reason


def test_what_canvas_calls_late_needs_the_instructor_and_keeps_its_points(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    write_zip(tmp_path / "in" / "annlee_LATE_1_10001_hw3.zip", below("cs285/"))
    assert needs_of(tmp_path, "1", ROSTER) == [
        "Canvas marks it as late, and does not say by how much"
    ]
    with contextlib.closing(Gradebook(tmp_path / "book")) as book:
        assert [need.check for need in book.needs("1")] == ["late"]

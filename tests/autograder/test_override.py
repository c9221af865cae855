"""What people decide over the grader: it counts, it stays, and the student reads why."""

from __future__ import annotations

import csv
import io
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from autograder.__main__ import main
from autograder.base.results import FAILED, Misconception
from autograder.classroom.gradebook import Gradebook, Submission
from autograder.classroom.notes import Copy, Need
from autograder.classroom.policy import Policy
from autograder.reports.classroom import Classroom, load
from autograder.reports.text import page_name
from tests.autograder.mixed_class import mixed_class, verdict

ACT, TARGETS = "hw3.dqn.act", "hw3.dqn.targets"
COPIED = Misconception("evidence.duplicate", "A copy.", "Why.", "Where")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return mixed_class(tmp_path / "book")


def override(folder: Path, *words: str) -> int:
    return main(["override", str(folder), *words])


def room_of(folder: Path) -> Classroom:
    with closing(Gradebook(folder)) as book:
        return load(book, Policy())


def points(folder: Path, student: str) -> Decimal:
    return next(one.points for one in room_of(folder).students if one.id == student)


def page(folder: Path, student: str) -> str:
    assert main(["report", str(folder)]) == 0
    return (folder / "report/students" / page_name(student)).read_text(encoding="utf-8")


def test_points_count_in_place_of_the_verdicts(folder: Path) -> None:
    assert points(folder, "s2") == 5
    assert override(folder, "s2", TARGETS, "--points", "4.5", "--because", "The mask is late.") == 0
    assert points(folder, "s2") == Decimal("9.5")
    assert override(folder, "Ben", "dqn.targets", "--points", "10", "--because", "All right.") == 0
    assert points(folder, "s2") == 15
    assert override(folder, "s2", TARGETS, "--remove") == 0
    assert points(folder, "s2") == 5


def test_the_student_reads_who_and_why(folder: Path) -> None:
    words = "Right idea, <one> sign."
    assert (
        override(folder, "s2", TARGETS, "--points", "4", "--because", words, "--by", "Tia A") == 0
    )
    text = page(folder, "s2")
    assert "Right idea, &lt;one&gt; sign." in text and "Tia A" in text
    assert "Tia A" not in page(folder, "s1")


def test_it_outlives_a_regrade_and_a_new_hand_in(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert override(folder, "s2", TARGETS, "--points", "7", "--because", "Read by hand.") == 0
    with closing(Gradebook(folder)) as book:
        new = book.begin("grader two", 3, "2026-10-16T00:00:00+00:00")
        for one in (verdict(ACT, 5), verdict(TARGETS, 10, FAILED)):
            book.add_verdict("s2", new, one)
            book.add_verdict("again", new, one)
        book.set_current(new)
    assert points(folder, "s2") == 12
    with closing(Gradebook(folder)) as book:
        book.set_submissions([Submission("s2", "s2", None, "again", None, True)])
    assert points(folder, "s2") == 12
    assert main(["export", str(folder)]) == 0
    assert "handed in again after a decision" in capsys.readouterr().err


def test_the_student_reads_which_submission_was_decided_about(folder: Path) -> None:
    """Points stay after a new hand-in, and what settled the earlier one settles nothing more."""
    earlier, settled = "about an earlier submission", "The submission counts as it is"
    assert override(folder, "s2", TARGETS, "--points", "7", "--because", "Read by hand.") == 0
    with closing(Gradebook(folder)) as book:
        book.set_needs("reading", [Need("s2", "an id of somebody else")])
    assert override(folder, "s2", "settled", "--because", "We talked.") == 0
    text = page(folder, "s2")
    assert settled in text and earlier not in text
    with closing(Gradebook(folder)) as book:
        (grading,) = book.gradings()
        book.add_verdict("again", grading, verdict(TARGETS, 10, FAILED))
        book.set_submissions([Submission("s2", "s2", None, "again", None, True)])
    text = page(folder, "s2")
    assert "Read by hand." in text and earlier in text
    assert settled not in text and "We talked." not in text


def test_it_settles_what_the_grader_left_open(folder: Path) -> None:
    """A grader error keeps the points open, until somebody decides."""
    assert override(folder, "s6", ACT, "--points", "5", "--because", "Judged by hand.") == 0
    student = next(one for one in room_of(folder).students if one.id == "s6")
    assert (student.points, student.unsettled) == (15, False)


def test_a_penalty(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert override(folder, "s2", "penalty", "--points", "0", "--because", "Was ill.") == 0
    capsys.readouterr()
    assert main(["export", str(folder)]) == 0
    rows = {row[0]: row for row in csv.reader(io.StringIO(capsys.readouterr().out))}
    assert rows["s2"][6:9] == ["2", "0", "5"]
    assert "Was ill." in rows["s2"][-1]
    assert "Was ill." in page(folder, "s2")


def test_a_copy_that_is_none(folder: Path) -> None:
    with closing(Gradebook(folder)) as book:
        book.set_copies(
            [Copy("s1", TARGETS, COPIED, "shared with another", "s1 and s2 share it", "s1")]
        )
    assert points(folder, "s1") == 5
    assert "shared with another" in page(folder, "s1")
    assert override(folder, "s1", TARGETS, "--not-a-copy", "--because", "They were a team.") == 0
    assert points(folder, "s1") == 15
    text = page(folder, "s1")
    assert "shared with another" not in text and "They were a team." in text


def test_decisions_are_listed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert override(folder) == 0
    assert "nobody has decided" in capsys.readouterr().err
    assert override(folder, "s2", ACT, "--points", "1", "--because", "Why not.", "--by", "T") == 0
    capsys.readouterr()
    assert override(folder) == 0
    assert "s2: hw3.dqn.act: 1 point; T, " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["s9", ACT, "--points", "1", "--because", "x"], "knows no student 's9'"),
        (["s2", "hw3.dqn.akt", "--points", "1", "--because", "x"], "did you mean 'hw3.dqn.act'?"),
        (["s2", ACT, "--points", "6", "--because", "x"], "between 0 and 5"),
        (["s2", ACT, "--points", "-1", "--because", "x"], "between 0 and 5"),
        (["s2", ACT, "--points", "nan", "--because", "x"], "is no number"),
        (["s2", ACT, "--because", "x"], "--points: give"),
        (["s2", ACT, "--points", "1"], "--because: give the reason"),
        (["s2", ACT, "--points", "1", "--because", "  "], "--because: give the reason"),
        (["s2", ACT, "--points", "1", "--because", "x", "--by", ""], "--by: give the name"),
        (["s2", ACT, "--not-a-copy", "--because", "x"], "nothing calls"),
        (["s2", ACT, "--remove"], "there is no decision"),
        (["s2", "--points", "1"], "name the student and the check"),
    ],
)
def test_bad_input_changes_nothing(
    folder: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = [one.points for one in room_of(folder).students]
    assert override(folder, *words) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1
    assert [one.points for one in room_of(folder).students] == before


def test_what_needs_somebody_is_settled(folder: Path) -> None:
    """Until something else is handed in."""
    with closing(Gradebook(folder)) as book:
        book.set_needs("reading", [Need("s1", "two students have one id")])

    def unsettled() -> bool:
        return next(one.unsettled for one in room_of(folder).students if one.id == "s1")

    assert unsettled()
    assert override(folder, "s1", "settled", "--because", "It is Ada's.") == 0
    assert not unsettled()
    assert "It is Ada&#39;s." in page(folder, "s1")
    with closing(Gradebook(folder)) as book:
        (grading,) = book.gradings()
        for one in (verdict(ACT, 5), verdict(TARGETS, 10)):
            book.add_verdict("again", grading, one)
        book.set_submissions([Submission("s1", "s1", None, "again", None, True)])
    assert unsettled()
    with closing(Gradebook(folder)) as book:
        book.set_needs("reading", [])
    assert not unsettled()
    assert override(folder, "s2", "settled", "--because", "Nothing.") == 2


def test_a_whole_homework_is_set_by_hand(folder: Path) -> None:
    """One decision, whatever the grader found: s5 is unread, s2 passed, s4 handed nothing in."""
    for student, given in (("s5", "0"), ("s2", "0"), ("s4", "7.5")):
        words = ("total", "--points", given, "--because", "As we agreed.", "--by", "Prof. X")
        assert override(folder, student, *words) == 0
        found = next(one for one in room_of(folder).students if one.id == student)
        assert (found.settlement.final, found.unsettled) == (Decimal(given), False)
        assert not found.needs_line
        text = page(folder, student)
        assert f"The whole homework counts {given} by hand" in text and "As we agreed." in text
        assert f"<dt>Final</dt><dd>{given} " in text
    assert override(folder, "s2", "total", "--remove") == 0
    assert next(one for one in room_of(folder).students if one.id == "s2").settlement.final == 5


def test_a_penalty_by_hand_is_on_the_page_where_no_time_is_known(folder: Path) -> None:
    """Canvas marks what is late, and does not report by how much."""
    assert override(folder, "s2", "penalty", "--points", "2", "--because", "One day late.") == 0
    text = page(folder, "s2")
    assert "The penalty is set to 2 by hand" in text and "One day late." in text
    assert "<dt>Final</dt><dd>3 " in text


def test_what_was_remarked_on_can_be_settled(folder: Path) -> None:
    with closing(Gradebook(folder)) as book:
        rows = [replace(one, problem="odd") if one.student == "s2" else one
                for one in book.submissions()]  # fmt: skip
        book.set_submissions(rows)
    assert override(folder, "s2", "settled", "--because", "Looked at.") == 0
    assert override(folder, "s1", "settled", "--because", "Looked at.") == 2

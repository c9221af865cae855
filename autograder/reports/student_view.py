"""What a student's page shows, in its order: what to correct first, what passed last."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from autograder.base.results import BLANK, FAILED, PASSED, Verdict
from autograder.base.text import counted
from autograder.classroom.code import Change, changes, empty_places
from autograder.classroom.overrides import Override
from autograder.grading.next_step import command_for, is_blank, is_run
from autograder.reports.classroom import Classroom
from autograder.reports.scores import Blank, Score
from autograder.reports.student import Student
from autograder.source import PACKAGE

STEPS = {
    FAILED: "Correct it{where}",
    BLANK: "{verb}{where}",
}
CRASH = re.compile(r"^\w+: .*? at (?P<file>[\w./-]+\.py):(?P<line>\d+)(?=: \"|$)", re.M)
"""The line of a message about an exception, see `crash_message`."""
NO_PYTHON = "crash.syntax"


@dataclass(frozen=True)
class Row:
    """One blank of a student.

    Attributes:
        blank: The blank.
        verdict: What the grader found.
        score: What it counts.
        place: Its file and line; empty if nobody kept the code.
        code: What stands in it, and what the handout has.
        decisions: What people decided about it.
        error_place: The file and line of the error to correct, if its message names one.
        same_as: The row above that explains the same error, if there is one.
    """

    blank: Blank
    verdict: Verdict
    score: Score
    place: str = ""
    code: Change | None = None
    decisions: tuple[Override, ...] = ()
    error_place: str = ""
    same_as: Row | None = None

    @property
    def is_settled(self) -> bool:
        """Whether somebody gave all points for it, whatever the grader found."""
        return self.score.override is not None and self.score.points >= self.blank.points > 0

    @property
    def has_more(self) -> bool:
        """Whether there is more to show than its verdict."""
        return bool(self.code or self.decisions or self.verdict.message)

    @property
    def anchor(self) -> str:
        """The name by which the page links to its explanation."""
        return self.blank.id.replace(".", "-")

    @property
    def next_step(self) -> str:
        """The one thing to do next."""
        if self.verdict.verdict not in STEPS:
            return ""
        place = self.error_place or self.place
        where = f" at {place}" if place else ""
        homework = self.blank.id.partition(".")[0]
        verb = "Make the run" if is_run(self.blank.id) else "Fill it in"
        step = STEPS[self.verdict.verdict].format(verb=verb, where=where)
        return f"{step}, then type: `{command_for(homework, self.blank.id)}`"


@dataclass(frozen=True)
class StudentView:
    """All rows of a page."""

    wrong: list[Row] = field(default_factory=list)
    """What is wrong, ours included."""
    empty: list[Row] = field(default_factory=list)
    """What is not filled."""
    passed: list[Row] = field(default_factory=list)
    elsewhere: list[Change] = field(default_factory=list)
    """Changes outside of the blanks, for the instructor."""

    @property
    def open(self) -> list[Row]:
        """All that is not passed."""
        return [*self.wrong, *self.empty]

    @property
    def rows(self) -> list[Row]:
        """All rows."""
        return [*self.open, *self.passed]

    @property
    def noun(self) -> str:
        """What a row is called: a blank, or a part where others count too, such as runs."""
        counting = [row for row in self.rows if row.blank.points]
        return "blank" if all(is_blank(row.blank.id) for row in counting) else "part"

    def tally(self, rows: Sequence[Row]) -> str:
        """Returns how many rows there are: those with points, and apart from them the others."""
        points = sum(bool(row.blank.points) for row in rows)
        rest = f"{len(rows) - points} without points" if len(rows) > points else ""
        found = counted(points, self.noun) if points or not rest else ""
        return ", and ".join(filter(None, (found, rest)))


def view_of(room: Classroom, student: Student) -> StudentView:
    """Returns what a student's page shows."""
    found = changes(room.homework, student.files) if student.files else []
    code = {id: change for change in found for id in change.blanks}
    empty = empty_places(room.homework, student.files) if student.files else {}
    view = StudentView(elsewhere=[change for change in found if not change.blanks])
    for blank in room.blanks:
        verdict = student.verdicts.get(blank.id)
        if verdict is None or not (verdict.max_points or verdict.verdict != PASSED):
            continue
        change = code.get(blank.id)
        place = change.place if change else empty.get(blank.id, "")
        decisions = tuple(one for one in student.overrides if one.check == blank.id)
        error = error_place(verdict, found)
        row = Row(blank, verdict, student.scores[blank.id], place, change, decisions, error)
        if verdict.verdict == PASSED or row.is_settled:
            view.passed.append(row)
        elif verdict.verdict == BLANK:
            view.empty.append(row)
        else:
            view.wrong.append(with_explained(row, view.wrong))
    return view


def error_place(verdict: Verdict, found: Sequence[Change]) -> str:
    """Returns the file and line of an error to correct; "" if that is the blank's own.

    An error on a given line comes from what the blank has made. Not so what is no Python: then
    nothing has run, and the line is where Python stopped to read.
    """
    match = CRASH.search(verdict.message) if verdict.verdict == FAILED else None
    if match is None:
        return ""
    file, line = match["file"], int(match["line"])
    unread = any(one.id == NO_PYTHON for one in verdict.misconceptions)
    if unread or any(one.file == file and one.has(line) for one in found):
        return f"{PACKAGE}/{file}:{line}"
    return ""


def with_explained(row: Row, above: Sequence[Row]) -> Row:
    """Returns a row that refers to one above it, if that explains the same error."""

    def reason(one: Row) -> tuple[object, ...]:
        return one.verdict.misconceptions, one.verdict.message

    same = next((one for one in above if one.error_place and reason(one) == reason(row)), None)
    return replace(row, same_as=same)

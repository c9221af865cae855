"""What a student's page shows, in its order: what to correct first, what passed last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from autograder.base.results import BLANK, FAILED, PASSED, SKIPPED, Verdict
from autograder.classroom.code import Change, changes, empty_places
from autograder.classroom.overrides import Override
from autograder.grading.next_step import command_for
from autograder.grading.pages import is_blank, is_run
from autograder.reports.classroom import Classroom, Student
from autograder.reports.scores import Blank, Score
from autograder.reports.text import counted

STEPS = {
    FAILED: "Correct it{where}",
    BLANK: "{verb}{where}",
    SKIPPED: "Get right first what it needs",
}


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
    """

    blank: Blank
    verdict: Verdict
    score: Score
    place: str = ""
    code: Change | None = None
    decisions: tuple[Override, ...] = ()

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
        where = f" at {self.place}" if self.place else ""
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
    """What is not filled, or was not run."""
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
        row = Row(blank, verdict, student.scores[blank.id], place, change, decisions)
        if verdict.verdict == PASSED or row.is_settled:
            view.passed.append(row)
        elif verdict.verdict in (BLANK, SKIPPED):
            view.empty.append(row)
        else:
            view.wrong.append(row)
    return view

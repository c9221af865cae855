"""One student of a class, with what became of the submission that counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from autograder.base.results import GRADER_ERROR, Verdict
from autograder.classroom.gradebook import Submission
from autograder.classroom.notes import Need
from autograder.classroom.overrides import SETTLED, TOTAL, Override
from autograder.classroom.policy import Settlement
from autograder.evidence.curves import Curve
from autograder.reports.scores import Score

NOT_HANDED_IN = "not handed in"
NEEDS_YOU = "needs you"
ASKS_STAFF = "the course staff has to look at this submission, and has not decided yet"
NOT_GRADED, GRADED_IN_PART = "not graded yet", "graded in part so far"


@dataclass(frozen=True)
class Student:
    """One student, with the submission that counts and what became of it."""

    id: str
    name: str = ""
    email: str = ""
    submission: Submission | None = None
    others: tuple[Submission, ...] = ()
    """Submissions that another one replaces."""
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    curves: tuple[Curve, ...] = ()
    settlement: Settlement = Settlement(None, 0, Decimal(0), Decimal(0), cut=False)
    waits: bool = False
    """Whether blanks are still to be judged."""
    copies: tuple[str, ...] = ()
    """A line for each student who handed in the same runs; for the instructor alone."""
    needs: tuple[Need, ...] = ()
    """What the instructor has to decide: the state "needs you"."""
    scores: Mapping[str, Score] = field(default_factory=dict)
    """What each blank and question counts."""
    overrides: tuple[Override, ...] = ()
    """What people decided over the grader."""
    nameless: bool = False
    """Whether nothing about the student may name anybody."""
    files: Mapping[str, str] = field(default_factory=dict)
    """The code that counts, if it is asked for and was kept, by path within `cs285`."""
    canvas_ids: tuple[str, ...] = ()
    """Canvas's number, the university's id and the login, if the roster was Canvas's own."""

    @property
    def label(self) -> str:
        """The name, or else the id."""
        return self.name or self.id

    @property
    def points(self) -> Decimal:
        """The points earned, before any penalty."""
        return sum((score.points for score in self.scores.values()), Decimal(0))

    @property
    def graded(self) -> bool:
        """Whether there are verdicts."""
        return bool(self.verdicts)

    @property
    def written_open(self) -> list[str]:
        """The written answers that nobody has graded in full."""
        if self.submission is None and not any(one.grades for one in self.scores.values()):
            return []
        return [i for i, score in self.scores.items() if score.is_open and i not in self.verdicts]

    @property
    def outdated(self) -> list[Override]:
        """Decisions that were made about something else than what counts now."""
        digest = (self.submission and self.submission.digest) or ""
        return [one for one in self.overrides if one.digest != digest]

    @property
    def grader_errors(self) -> list[str]:
        """The checks in which the grader itself failed."""
        return [i for i, v in self.verdicts.items() if v.verdict == GRADER_ERROR]

    @property
    def errors_cost(self) -> bool:
        """Whether the grader's errors keep points from the student."""
        return any(self.scores[i].is_open and self.scores[i].most for i in self.grader_errors)

    @property
    def unsettled(self) -> bool:
        """Whether the points may still grow, through no doing of the student's."""
        if self.total_by_hand is not None:
            return False
        if self.waits or self.errors_cost or self.unread or self.undecided:
            return True
        return bool(self.written_open)

    @property
    def undecided(self) -> bool:
        """Whether the instructor has to decide about the whole submission."""
        return any(not need.check for need in self.needs)

    @property
    def settled(self) -> bool:
        """Whether somebody has decided what becomes of the submission that counts now."""
        kinds = (SETTLED, TOTAL)
        return any(one.kind in kinds and one not in self.outdated for one in self.overrides)

    @property
    def total_by_hand(self) -> Decimal | None:
        """What somebody has set for the whole homework; None if nobody has."""
        return next((one.points for one in self.overrides if one.kind == TOTAL), None)

    @property
    def unread(self) -> bool:
        """Whether something was handed in that nobody could read, and nobody has decided about."""
        unreadable = self.submission is not None and self.submission.digest is None
        return unreadable and not self.settled

    @property
    def unfinished(self) -> bool:
        """Whether something was handed in that could not be read, or not judged in full."""
        return self.unread or self.waits or bool(self.grader_errors) or bool(self.needs)

    @property
    def needs_line(self) -> str:
        """The state "needs you" with its reasons, for the instructor; empty if nothing is open."""
        reasons = [f"{need.check}: {need.reason}".removeprefix(": ") for need in self.needs]
        return f"{NEEDS_YOU}: {'; '.join(dict.fromkeys(reasons))}" if reasons else ""

    @property
    def problem(self) -> str:
        """One line that the instructor should read; empty if there is nothing to say."""
        return self._problem(self.needs_line)

    @property
    def own_problem(self) -> str:
        """The same for the student, in whose sight no reason may name somebody else."""
        return self._problem(ASKS_STAFF if self.needs else "")

    def _problem(self, asked: str) -> str:
        if self.nameless:
            return NOT_HANDED_IN if self.submission is None else "open" if self.unsettled else ""
        if self.submission is None:
            return asked or NOT_HANDED_IN
        remarks = [one for one in (asked, self.submission.problem) if one]
        if self.grader_errors:
            missing = ": points are missing" if self.errors_cost else ""
            remarks.append(f"grader error in {', '.join(self.grader_errors)}{missing}")
        if self.waits:
            remarks.append(GRADED_IN_PART if self.verdicts else NOT_GRADED)
        if self.written_open:
            names = ", ".join(i.rpartition(".")[2] for i in self.written_open)
            remarks.append(f"written answers not graded yet: {names}")
        return "; ".join(remarks)

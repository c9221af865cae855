"""Gathers from a gradebook all about a class, for pages and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal

from autograder.base import checks as homeworks
from autograder.base import errors
from autograder.base.errors import UsageError
from autograder.base.results import GRADER_ERROR, Verdict
from autograder.classroom.gradebook import Gradebook, Grading, Submission
from autograder.classroom.notes import Need
from autograder.classroom.policy import Policy, Settlement
from autograder.evidence.curves import Curve

NOT_HANDED_IN = "not handed in"
NEEDS_YOU = "needs you"
ASKS_STAFF = "the course staff has to look at this submission, and has not decided yet"
NOT_GRADED, GRADED_IN_PART = "not graded yet", "graded in part so far"


@dataclass(frozen=True)
class Blank:
    """One column of the class: a check."""

    id: str
    title: str
    points: int

    @property
    def name(self) -> str:
        """The id without the homework."""
        return self.id.partition(".")[2] or self.id


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

    @property
    def label(self) -> str:
        """The name, or else the id."""
        return self.name or self.id

    @property
    def points(self) -> int:
        """The points earned, before any penalty."""
        return sum(verdict.points for verdict in self.verdicts.values())

    @property
    def graded(self) -> bool:
        """Whether there are verdicts."""
        return bool(self.verdicts)

    @property
    def grader_errors(self) -> list[str]:
        """The checks in which the grader itself failed."""
        return [i for i, v in self.verdicts.items() if v.verdict == GRADER_ERROR]

    @property
    def errors_cost(self) -> bool:
        """Whether the grader's errors keep points from the student."""
        return any(self.verdicts[i].max_points for i in self.grader_errors)

    @property
    def unsettled(self) -> bool:
        """Whether the points may still grow, through no doing of the student's."""
        return self.waits or self.errors_cost or self.unread or self.undecided

    @property
    def undecided(self) -> bool:
        """Whether the instructor has to decide about the whole submission."""
        return any(not need.check for need in self.needs)

    @property
    def unread(self) -> bool:
        """Whether something was handed in that nobody could read."""
        return self.submission is not None and self.submission.digest is None

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
        if self.submission is None:
            return asked or NOT_HANDED_IN
        remarks = [one for one in (asked, self.submission.problem) if one]
        if self.grader_errors:
            missing = ": points are missing" if self.errors_cost else ""
            remarks.append(f"grader error in {', '.join(self.grader_errors)}{missing}")
        if self.waits:
            remarks.append(GRADED_IN_PART if self.verdicts else NOT_GRADED)
        return "; ".join(remarks)


@dataclass(frozen=True)
class Classroom:
    """A class under one grading."""

    homework: str
    grading: Grading | None
    blanks: Sequence[Blank]
    students: Sequence[Student]
    """By name."""
    policy: Policy

    @property
    def counted(self) -> list[Blank]:
        """The blanks that count points."""
        return [blank for blank in self.blanks if blank.points]

    @property
    def most(self) -> int:
        """The points that can be earned."""
        return sum(blank.points for blank in self.blanks)

    @property
    def graded(self) -> list[Student]:
        """The students who have verdicts."""
        return [student for student in self.students if student.graded]


def load(gradebook: Gradebook, policy: Policy, grading_id: int | None = None) -> Classroom:
    """Gathers what a gradebook says under one grading, the one that counts if none is chosen.

    Raises:
        UsageError: If there is no such grading, or nothing at all.
    """
    current = gradebook.current()
    wanted = current.id if grading_id is None and current else grading_id
    grading = choose_grading(gradebook.gradings(), wanted)
    found: dict[str, list[Submission]] = {}
    for submission in gradebook.submissions():
        found.setdefault(submission.student, []).append(submission)
    people = gradebook.students()
    if not people and not found:
        raise UsageError(f"{gradebook.folder}: the gradebook is empty; run `grade` first")
    students = []
    for who in {**people, **found}:
        known = replace(Student(who, *people.get(who, ())), needs=tuple(gradebook.needs(who)))
        student = _with_submissions(known, found.get(who, []))
        students.append(_with_verdicts(student, gradebook, grading, policy))
    students.sort(key=lambda s: (s.label.casefold(), s.id))
    name = gradebook.fact("homework") or ""
    blanks = _blanks(name, students)
    return Classroom(name, grading, blanks, [_waiting(s, blanks) for s in students], policy)


def _waiting(student: Student, blanks: Sequence[Blank]) -> Student:
    """Notes whether blanks that count are still to be judged; what cannot be read never is."""
    readable = student.submission is not None and student.submission.digest is not None
    missing = any(blank.points and blank.id not in student.verdicts for blank in blanks)
    return replace(student, waits=readable and missing)


def choose_grading(gradings: Sequence[Grading], wanted: int | None) -> Grading | None:
    """Returns the grading with an id, or the newest; None if there is none at all.

    Raises:
        UsageError: If there is none with that id.
    """
    if wanted is None:
        return gradings[-1] if gradings else None
    for grading in gradings:
        if grading.id == wanted:
            return grading
    there = ", ".join(str(grading.id) for grading in gradings) or "none"
    raise UsageError(f"no grading {wanted} in the gradebook; there is: {there}")


def _with_submissions(student: Student, submissions: Sequence[Submission]) -> Student:
    """Notes which submission counts, and which it replaces."""
    if not submissions:
        return student
    counting = [submission for submission in submissions if submission.counts]
    counted = (counting or submissions)[-1]
    others = tuple(submission for submission in submissions if submission is not counted)
    return replace(student, submission=counted, others=others)


def _with_verdicts(
    student: Student, gradebook: Gradebook, grading: Grading | None, policy: Policy
) -> Student:
    """Notes how the submission that counts was judged, and what its points come to."""
    submission = student.submission
    if submission and submission.digest:
        copies = gradebook.copies(submission.digest, student.id)
        student = replace(
            student,
            verdicts=gradebook.verdicts(submission.digest, grading, student.id) if grading else {},
            curves=tuple(gradebook.curves(submission.digest)),
            copies=tuple(dict.fromkeys(copy.message for copy in copies)),
        )
    received = _received(submission) if submission else None
    return replace(student, settlement=policy.settle(student.id, received, student.points))


def _received(submission: Submission) -> datetime | None:
    """Returns when a submission came; None if nothing that can be true is known."""
    try:
        moment = datetime.fromisoformat(submission.received or "")
    except ValueError:
        return None
    return moment if 1990 <= moment.year <= 2999 else None


def _blanks(name: str, students: Sequence[Student]) -> list[Blank]:
    """Returns the checks that were judged, in the order of the homework's score board."""
    record: dict[str, Blank] = {}
    for student in students:
        for verdict in student.verdicts.values():
            blank = Blank(verdict.id, verdict.title, verdict.max_points)
            record.setdefault(verdict.id, blank)
    try:
        checks = homeworks.checks(name)
    except errors.UnknownHomeworkError:  # graded elsewhere: the order of the first verdicts
        return list(record.values())
    order = {check.id: number for number, check in enumerate(checks)}
    if not record:
        return [Blank(c.id, c.title, c.points) for c in checks if c.points]
    return sorted(record.values(), key=lambda blank: order.get(blank.id, len(order)))

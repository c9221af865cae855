"""Gathers from a gradebook all about a class, for pages and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal

from autograder.base import checks as homeworks
from autograder.base.text import UnknownHomeworkError, UsageError
from autograder.classroom.code import files_of
from autograder.classroom.gradebook import Gradebook, Grading, Submission
from autograder.classroom.listing import canvas_ids
from autograder.classroom.notes import LATENESS, Need
from autograder.classroom.overrides import (
    NO_COPY,
    PENALTY,
    POINTS,
    overrides,
)
from autograder.classroom.policy import Policy
from autograder.classroom.written import Grade, grades, rubric
from autograder.reports.scores import (
    Blank,
    Score,
    blank_of,
    decided_points,
    judged_score,
    written_blanks,
    written_score,
)
from autograder.reports.student import NEEDS_YOU, NOT_HANDED_IN, Student

__all__ = ["NEEDS_YOU", "NOT_HANDED_IN", "Classroom", "Student", "load"]


@dataclass(frozen=True)
class Classroom:
    """A class under one grading."""

    homework: str
    grading: Grading | None
    blanks: Sequence[Blank]
    students: Sequence[Student]
    """By name."""
    policy: Policy
    written: Sequence[Blank] = ()
    """The questions that people grade."""

    @property
    def counted(self) -> list[Blank]:
        """The blanks that count points."""
        return [blank for blank in self.blanks if blank.points]

    @property
    def columns(self) -> list[Blank]:
        """All that counts points: blanks first, then what people grade."""
        return [*self.counted, *self.written]

    @property
    def most(self) -> Decimal:
        """The points that can be earned, without any bonus."""
        return sum((one.points for one in self.columns if not one.bonus), Decimal(0))

    @property
    def graded(self) -> list[Student]:
        """The students who have verdicts."""
        return [student for student in self.students if student.graded]


def load(
    gradebook: Gradebook, policy: Policy, grading_id: int | None = None, code: bool = False
) -> Classroom:
    """Gathers what a gradebook says under one grading, the one that counts if none is chosen.

    Args:
        gradebook: An open one.
        policy: The price of lateness, and the points of this class.
        grading_id: Which grading.
        code: Whether the students' code is read too.

    Raises:
        UsageError: If there is no such grading, or nothing at all.
    """
    current = gradebook.current()
    wanted = current.id if grading_id is None and current else grading_id
    grading = choose_grading(gradebook.gradings(), wanted)
    found: dict[str, list[Submission]] = {}
    for submission in gradebook.submissions():
        found.setdefault(submission.student, []).append(submission)
    people, canvas = gradebook.students(), canvas_ids(gradebook)
    if not people and not found:
        raise UsageError(f"{gradebook.folder}: the gradebook is empty; run `grade` first")
    students = []
    for who in {**people, **found}:
        student = _with_submissions(Student(who, *people.get(who, ())), found.get(who, []))
        decisions = tuple(overrides(gradebook, who))
        student = replace(student, overrides=decisions, canvas_ids=canvas.get(who, ()))
        student = replace(student, needs=open_needs(student, gradebook.needs(who)))
        students.append(_with_verdicts(student, gradebook, grading))
        if code and students[-1].submission and students[-1].submission.digest:
            kept = files_of(gradebook, students[-1].submission.digest)
            students[-1] = replace(students[-1], files=kept)
    students.sort(key=lambda s: (s.label.casefold(), s.id))
    name = gradebook.fact("homework") or ""
    blanks = _blanks(name, students, policy)
    written = written_blanks(name, rubric(gradebook), policy)
    given = grades(gradebook)
    counted = []
    for student in students:
        scored = _with_scores(_waiting(student, blanks), blanks, written, given.get(student.id, {}))
        counted.append(_settled(scored, policy))
    return Classroom(name, grading, blanks, counted, policy, written)


def open_needs(student: Student, needs: Sequence[Need]) -> tuple[Need, ...]:
    """Returns what nobody has decided yet: a decision holds for what was handed in then."""
    if student.settled and student.total_by_hand is not None:
        return ()
    decided = {one.check for one in student.overrides if one.kind in (POINTS, NO_COPY)}
    if student.settled or any(one.kind == PENALTY for one in student.overrides):
        decided.add(LATENESS)
    return tuple(n for n in needs if not (n.check in decided if n.check else student.settled))


def _waiting(student: Student, blanks: Sequence[Blank]) -> Student:
    """Notes whether blanks that count are still to be judged; what cannot be read never is."""
    readable = student.submission is not None and student.submission.digest is not None
    decided = decided_points(student.overrides)
    missing = any(
        blank.points and blank.id not in student.verdicts and blank.id not in decided
        for blank in blanks
    )
    return replace(student, waits=readable and missing)


def _with_scores(
    student: Student,
    blanks: Sequence[Blank],
    written: Sequence[Blank],
    given: Mapping[tuple[str, str], Grade],
) -> Student:
    """Notes what verdicts, written answers and decisions count."""
    decided = decided_points(student.overrides)
    scores: dict[str, Score] = {}
    for blank in blanks:
        if blank.id in student.verdicts:
            scores[blank.id] = judged_score(blank, student.verdicts[blank.id], decided)
        elif blank.id in decided:
            one = decided[blank.id]
            scores[blank.id] = Score(one.points or Decimal(0), blank.points, one)
    scores |= {blank.id: written_score(blank, given, decided) for blank in written}
    return replace(student, scores=scores)


def _settled(student: Student, policy: Policy) -> Student:
    """Notes what lateness leaves of the points, and who has decided otherwise."""
    received = received_at(student.submission) if student.submission else None
    settlement = policy.settle(student.id, received, student.points)
    for one in student.overrides:
        if one.kind == PENALTY and one.points is not None:
            settlement = settlement.with_penalty(one.points)
    if student.total_by_hand is not None:
        settlement = settlement.with_final(student.total_by_hand)
    return replace(student, settlement=settlement)


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


def _with_verdicts(student: Student, gradebook: Gradebook, grading: Grading | None) -> Student:
    """Notes how the submission that counts was judged."""
    submission = student.submission
    if submission is None or submission.digest is None:
        return student
    own = [one.check for one in student.overrides if one.kind == NO_COPY]
    every = gradebook.copies(submission.digest, student.id)
    copies = [one for one in every if one.question not in own]
    verdicts = gradebook.verdicts(submission.digest, grading, student.id, own) if grading else {}
    return replace(
        student,
        verdicts=verdicts,
        curves=tuple(gradebook.curves(submission.digest)),
        copies=tuple(dict.fromkeys(copy.message for copy in copies)),
    )


def received_at(submission: Submission) -> datetime | None:
    """Returns when a submission came; None if nothing that can be true is known."""
    try:
        moment = datetime.fromisoformat(submission.received or "")
    except ValueError:
        return None
    return moment if 1990 <= moment.year <= 2999 else None


def _blanks(name: str, students: Sequence[Student], policy: Policy) -> list[Blank]:
    """Returns the checks that were judged, in the order of the homework's score board."""
    record: dict[str, Blank] = {}
    for student in students:
        for verdict in student.verdicts.values():
            record.setdefault(verdict.id, blank_of(policy, verdict))
    try:
        checks = homeworks.checks(name)
    except UnknownHomeworkError:  # graded elsewhere: the order of the first verdicts
        return list(record.values())
    order = {check.id: number for number, check in enumerate(checks)}
    if not record:
        return [
            Blank(c.id, c.title, policy.worth_of(c.id, c.points), c.id in policy.bonus)
            for c in checks
            if c.points
        ]
    return sorted(record.values(), key=lambda blank: order.get(blank.id, len(order)))

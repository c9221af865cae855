"""`override`: sets points, a penalty, or that a run is no copy, over the grader."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path

from autograder.base.text import UsageError
from autograder.classroom.gradebook import Gradebook, Submission
from autograder.classroom.overrides import (
    NO_COPY,
    OF_ALL,
    PENALTY,
    POINTS,
    SETTLED,
    TOTAL,
    Override,
    overrides,
    remove_override,
    set_override,
)
from autograder.classroom.people import author, find_student, now, submission_of
from autograder.classroom.policy_file import nearest
from autograder.classroom.written import number_of
from autograder.commands import Commands
from autograder.reports.classroom import Classroom, load
from autograder.reports.opening import choose_policy
from autograder.reports.text import one_line, printable

LONGEST = 500


def add_parser(commands: Commands) -> None:
    """Describes the command line."""
    parser = commands.add_parser(
        "override",
        allow_abbrev=False,
        help="set points or a penalty over the grader's",
    )
    parser.add_argument("gradebook", type=Path, metavar="GRADEBOOK", help="what `grade` wrote")
    parser.add_argument("student", nargs="?", metavar="STUDENT", help="id, email or name")
    parser.add_argument(
        "check",
        nargs="?",
        metavar="CHECK",
        help=f"such as hw3.dqn.act; or {PENALTY}, {SETTLED}, or {TOTAL} for the whole homework",
    )
    parser.add_argument("--points", metavar="N", help="what it counts from now on")
    parser.add_argument(
        "--not-a-copy", action="store_true", help="the run is the student's own, whoever shares it"
    )
    parser.add_argument("--because", metavar="TEXT", help="why; the student reads it")
    parser.add_argument("--by", metavar="NAME", help="who decides (your login), for the student")
    parser.add_argument("--remove", action="store_true", help="take the decision back")
    parser.add_argument("--policy", type=Path, metavar="FILE", help=argparse.SUPPRESS)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Writes a decision down; without a check, prints those that there are.

    Raises:
        UsageError: If something about it is wrong; then nothing is written.
    """
    with contextlib.closing(Gradebook(args.gradebook)) as book:
        student = find_student(book, args.student) if args.student else None
        if student is None or args.check is None:
            _refuse_loose(args)
            for line in described(overrides(book, student)):
                print(line)
            return 0
        room = load(book, choose_policy(args, book))
        check = known_check(room, args.check)
        if args.remove:
            return _remove(book, student, check, args)
        one = decision(book, room, student, check, args)
        set_override(book, one)
    print(f"{printable(student)}: {printable(one.what)}, decided by {printable(one.author)}")
    print(f"now: python -m autograder report {args.gradebook}")
    return 0


def _refuse_loose(args: argparse.Namespace) -> None:
    """Refuses a decision about nothing."""
    if args.points is not None or args.because or args.not_a_copy or args.remove:
        raise UsageError("override: name the student and the check, such as: ada hw3.dqn.act")


def _remove(book: Gradebook, student: str, check: str, args: argparse.Namespace) -> int:
    kind, id = _kind(check, args)
    if not remove_override(book, student, kind, id):
        raise UsageError(f"there is no decision about {check} of {student}")
    print(f"{printable(student)}: {check} counts as the grader judged it")
    return 0


def _kind(check: str, args: argparse.Namespace) -> tuple[str, str]:
    if check in OF_ALL:
        return check, ""
    return (NO_COPY if args.not_a_copy else POINTS), check


def known_check(room: Classroom, check: str) -> str:
    """Returns a check's whole id.

    Raises:
        UsageError: If the class has none of that name.
    """
    known = [one.id for one in (*room.blanks, *room.written)]
    for id in (check, f"{room.homework}.{check}"):
        if id in known or id in OF_ALL:
            return id
    names = [*OF_ALL, *(one.id for one in room.columns)]
    raise UsageError(f"{room.homework} has no check {check!r}{nearest(check, names)}")


def decision(
    book: Gradebook, room: Classroom, student: str, check: str, args: argparse.Namespace
) -> Override:
    """Returns the decision that the command line asks for.

    Raises:
        UsageError: If it lacks a reason, or its points cannot be.
    """
    comment = one_line(args.because or "")
    if not comment:
        raise UsageError("--because: give the reason, in quotes; the student reads it")
    if len(comment) > LONGEST:
        raise UsageError(f"--because: at most {LONGEST} characters")
    kind, id = _kind(check, args)
    submission = submission_of(book, student)
    if kind == NO_COPY:
        points = None
        digest = submission.digest if submission else None
        copies = book.copies(digest, student) if digest else []
        if args.points is not None:
            raise UsageError("--not-a-copy: leave --points out; the run counts as it was judged")
        if check not in [one.question for one in copies]:
            raise UsageError(f"nothing calls {check} of {student} a copy")
    elif kind == SETTLED:
        points = None
        _refuse_to_settle(book, student, submission, args.points)
    else:
        points = _points(room, check, args.points)
    counts = (submission.digest if submission else None) or ""
    return Override(student, kind, id, points, comment, author(args.by), now(), counts)


def _refuse_to_settle(
    book: Gradebook, student: str, submission: Submission | None, points: str | None
) -> None:
    """Refuses what is no decision about a whole submission, or where none is needed."""
    if points is not None:
        raise UsageError(f"{SETTLED}: leave --points out; the submission counts as it is")
    remarked = submission is not None and (submission.digest is None or submission.problem)
    if not (book.needs(student) or remarked):
        raise UsageError(f"nothing about {student} needs you; to set all points, use {TOTAL!r}")


def _points(room: Classroom, check: str, text: str | None) -> Decimal:
    """Returns the points, which no question exceeds."""
    points = number_of("--points", text or "")
    if points is None:
        raise UsageError("--points: give what it counts, such as --points 4")
    of = {one.id: one.points for one in room.columns}
    most = room.most if check in OF_ALL else of.get(check, Decimal(0))
    if not 0 <= points <= most:
        raise UsageError(f"--points {text}: {check} counts between 0 and {most}")
    return points


def described(found: Iterable[Override]) -> list[str]:
    """Returns a line for each decision."""
    lines = [
        printable(f"{one.student}: {one.what}; {one.author}, {one.made[:10]}: {one.comment}")
        for one in found
    ]
    if not lines:
        sys.stderr.write("autograder: nobody has decided anything over the grader\n")
    return lines

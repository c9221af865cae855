"""`diff`: prints a student's code, blank by blank, beside the solution."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from autograder.base.text import UsageError
from autograder.classroom.code import Change, changes, empty_places, files_of, solutions
from autograder.classroom.gradebook import Gradebook
from autograder.classroom.people import find_student
from autograder.commands import Commands
from autograder.grading import board
from autograder.reports.classroom import load
from autograder.reports.opening import choose_policy
from autograder.reports.student import Student
from autograder.reports.text import printable


def add_parser(commands: Commands) -> None:
    """Describes the command line."""
    parser = commands.add_parser(
        "diff", allow_abbrev=False, help="print a student's code, blank by blank"
    )
    parser.add_argument("gradebook", type=Path, metavar="GRADEBOOK", help="what `grade` wrote")
    parser.add_argument("student", metavar="STUDENT", help="id, email or name")
    parser.add_argument("-k", metavar="WORDS", default="", help="only blanks with these words")
    parser.add_argument(
        "--without-solution", action="store_true", help="print nothing that a student must not see"
    )
    parser.add_argument("--policy", type=Path, metavar="FILE", help=argparse.SUPPRESS)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints what a student changed; returns 0.

    Raises:
        UsageError: If there is no such student, or nothing of theirs was kept.
    """
    with contextlib.closing(Gradebook(args.gradebook)) as book:
        who = find_student(book, args.student)
        room = load(book, choose_policy(args, book))
        student = next(one for one in room.students if one.id == who)
        digest = student.submission.digest if student.submission else None
        if digest is None:
            raise UsageError(f"{who}: {student.problem}")
        files = files_of(book, digest)
    if not files:
        raise UsageError(
            f"{args.gradebook} has no code of {who}: an older release graded it. Run `grade` again "
            "with the same submissions: it judges nothing twice, and keeps the code"
        )
    wanted = args.k.lower().split()
    found = [c for c in changes(room.homework, files) if _fits(c, wanted)]
    ours = {} if args.without_solution else solutions(room.homework)
    empty = {id: at for id, at in empty_places(room.homework, files).items() if _has(id, wanted)}
    for line in described(found, ours, empty, student):
        print(line)
    if not found and not empty:
        raise UsageError(f"-k {args.k!r} fits no blank; leave it out to print all")
    return 0


def _fits(change: Change, wanted: list[str]) -> bool:
    return not wanted or any(_has(id, wanted) for id in change.blanks)


def _has(id: str, wanted: list[str]) -> bool:
    return all(word in id for word in wanted)


def described(
    found: list[Change], ours: Mapping[str, str], empty: Mapping[str, str], student: Student
) -> Iterator[str]:
    """Yields the lines: "-" is the handout's, "+" the student's, "=" the solution's."""
    for change in found:
        for id in change.blanks or ("outside of the blanks",):
            verdict = student.verdicts.get(id)
            words = f"  {board.result_word(verdict)}" if verdict else ""
            yield f"{change.place}  {id}{words}"
        yield from (f"{sign} {printable_line(line)}".rstrip() for sign, line in change.lines)
        for id in change.blanks:
            yield from (f"= {line}".rstrip() for line in ours.get(id, "").splitlines())
        yield ""
    for id, place in empty.items():
        yield f"{place}  {id}  not filled yet"


def printable_line(text: str) -> str:
    """Returns a line of code for a terminal, with its indent."""
    indent = len(text) - len(text.lstrip(" "))
    return " " * indent + printable(text)

"""Opens a gradebook, as all commands do that read one."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.base.text import UsageError, counted
from autograder.classroom.gradebook import Gradebook
from autograder.classroom.people import find_student
from autograder.classroom.policy import Policy
from autograder.classroom.policy_file import read_policy, unknown_checks, unknown_students
from autograder.reports.classroom import Classroom, load
from autograder.reports.text import printable

if TYPE_CHECKING:
    from autograder.reports.course import Course

POLICY = "policy.toml"
SHOWN = 5


def add_arguments(parser: argparse.ArgumentParser, several: bool = False) -> None:
    """Describes which gradebook, or `several` of a course, which grading, and which policy."""
    if several:
        parser.add_argument(
            "gradebooks",
            type=Path,
            nargs="+",
            metavar="GRADEBOOK",
            help="what `grade` wrote; several, one a homework, make a course",
        )
    else:
        parser.add_argument("gradebook", type=Path, metavar="GRADEBOOK", help="what `grade` wrote")
    parser.add_argument(
        "--policy",
        type=Path,
        metavar="FILE",
        help=f"deadline, late days, penalties (GRADEBOOK/{POLICY}, else the deadline of `grade`)",
    )
    parser.add_argument(
        "--grading", type=int, metavar="N", help="which of several gradings (the one that counts)"
    )


@contextlib.contextmanager
def opened_course(args: argparse.Namespace, code: bool = False) -> Iterator[Course]:
    """Opens the gradebooks of a course, each with its own policy; prints to stderr what is open.

    Raises:
        UsageError: If one is missing or wrong, or an option is for a single one.
    """
    from autograder.reports.course import load_course

    if args.policy or args.grading is not None:
        raise UsageError("--policy and --grading are for one gradebook; each has its own policy")
    with contextlib.ExitStack() as stack:
        books = []
        for folder in args.gradebooks:
            book = stack.enter_context(contextlib.closing(Gradebook(folder)))
            books.append(
                (book, choose_policy(argparse.Namespace(gradebook=folder, policy=None), book))
            )
        course = load_course(books, code)
        days = {room.policy.free_days for room in course.rooms if room.policy.deadline}
        if len(days) > 1:
            named = ", ".join(map(str, sorted(days)))
            sys.stderr.write(f"autograder: late_days are not the same in all policies: {named}\n")
        for name in course.namesakes():
            sys.stderr.write(
                f"autograder: {printable(name)} has another id and email in another homework: "
                "two rows, unless they are made the same\n"
            )
        for room in course.rooms:
            for line in warnings(room):
                sys.stderr.write(f"autograder: {room.homework}: {printable(line)}\n")
        yield course


def open_class(args: argparse.Namespace, code: bool = False) -> Classroom:
    """Reads the gradebook that the command line names, and prints to stderr what is open.

    The students' `code` is read only if it is asked for.

    Raises:
        UsageError: If there is none, or the policy is wrong.
    """
    with contextlib.closing(Gradebook(args.gradebook)) as gradebook:
        room = load(gradebook, choose_policy(args, gradebook), args.grading, code)
    for line in warnings(room):
        sys.stderr.write(f"autograder: {printable(line)}\n")
    return room


def choose_policy(args: argparse.Namespace, gradebook: Gradebook) -> Policy:
    """Returns the policy that is asked for, or lies in the gradebook; else the deadline alone.

    Raises:
        UsageError: If it is wrong.
    """
    own = args.gradebook / POLICY
    if args.policy or own.is_file():
        policy = read_policy(args.policy or own)
        return policy.with_ids(lambda who: known_id(gradebook, who))
    text = gradebook.fact("deadline")
    deadline = datetime.fromisoformat(text) if text else None
    return Policy(deadline, (deadline and deadline.tzinfo) or UTC)


def known_id(gradebook: Gradebook, who: str) -> str:
    """Returns the id of a student who is named by id, email or name; else what was given."""
    try:
        return find_student(gradebook, who)
    except UsageError:  # a warning names them
        return who


def warnings(room: Classroom) -> list[str]:
    """Returns a line for everything that keeps points from being final."""
    found = unknown_students(room.policy, (student.id for student in room.students))
    found += unknown_checks(room.policy, [one.id for one in (*room.blanks, *room.written)])
    waiting = [student.id for student in room.students if student.waits]
    errors = [student.id for student in room.students if student.errors_cost]
    if waiting:
        found.append(f"{_named(waiting)} not graded in full yet; run `grade` again")
    if errors:
        found.append(f"{_named(errors)} grader errors, so points are missing; see the report")
    open_ones = [student for student in room.students if student.unsettled]
    undecided = [student.id for student in open_ones if student.unread or student.undecided]
    if undecided:
        found.append(f"{_named(undecided)} grades left open, for you to decide; see the report")
    by_hand = [student.id for student in room.students if student.written_open]
    if by_hand:
        found.append(f"{_named(by_hand)} written answers not graded yet; see `rubric`")
    old = [student.id for student in room.students if student.outdated]
    if old:
        found.append(f"{_named(old)} handed in again after a decision; it still counts: look again")
    return found


def _named(students: list[str]) -> str:
    """Returns how many students there are, and the first of them."""
    first = ", ".join(students[:SHOWN]) + (", ..." if len(students) > SHOWN else "")
    return f"{counted(len(students), 'student')} ({first}):"

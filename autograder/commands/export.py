"""`export`: a class's points as a table."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from autograder.base.files import write_whole
from autograder.base.text import UsageError, counted
from autograder.classroom.gradebook import Gradebook
from autograder.commands import Commands
from autograder.reports import course, opening, tables
from autograder.reports.classroom import Classroom
from autograder.reports.pseudonyms import key_of, namer, without_names
from autograder.reports.student import Student
from autograder.reports.text import printable


def add_parser(commands: Commands) -> None:
    """Describes the command line."""
    parser = commands.add_parser(
        "export", allow_abbrev=False, help="write a graded class's points as CSV"
    )
    opening.add_arguments(parser, several=True)
    parser.add_argument(
        "--format",
        choices=("csv", "canvas"),
        default="csv",
        help="csv: every blank, lateness and problems (default); canvas: for Canvas's import",
    )
    parser.add_argument("-o", type=Path, metavar="FILE", help="where it goes (the screen)")
    parser.add_argument(
        "--assignment", metavar="NAME", help='the homework\'s name in Canvas ("Homework 3")'
    )
    parser.add_argument(
        "--canvas-id",
        choices=tuple(tables.CANVAS_IDS),
        default="sis",
        help="what Canvas calls the students' ids of the roster (sis: SIS User ID)",
    )
    parser.add_argument(
        "--pseudonyms", action="store_true", help="nobody is named: for a table that leaves you"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Runs `export`; returns the exit status."""
    if args.pseudonyms and args.format == "canvas":
        raise UsageError("--pseudonyms: Canvas knows nobody by them; leave --format out")
    text = _course(args) if len(args.gradebooks) > 1 else _class(args)
    if args.o is None:
        sys.stdout.write(text)
        return 0
    try:
        write_whole(args.o, text)
    except OSError as error:
        raise UsageError(f"-o: {args.o} cannot be written: {error.strerror}") from error
    return 0


def _class(args: argparse.Namespace) -> str:
    """Returns the table of one homework."""
    args.gradebook = args.gradebooks[0]
    room = opening.open_class(args)
    if args.format == "canvas":
        name = args.assignment or f"Homework {room.homework.removeprefix('hw')}"
        refuse_without_number(room.students, args.canvas_id)
        return tables.canvas(room, name, args.canvas_id)
    return tables.scores(_nameless(room, args) if args.pseudonyms else room)


def refuse_without_number(students: Sequence[Student], id_kind: str) -> None:
    """Refuses a table for Canvas by numbers if nobody's is known; names who has none.

    Raises:
        UsageError: If there are no such numbers.
    """
    unknown = tables.without_number(students) if id_kind == "canvas" else []
    if not unknown:
        return
    line = f"--canvas-id canvas: Canvas's number of {counted(len(unknown), 'student')} is not known"
    if len(unknown) == len(students):
        raise UsageError(f"{line}; give `grade` Canvas's own list as --roster")
    first = printable(unknown[0].label)
    sys.stderr.write(f"autograder: {line}, such as {first}: Canvas skips these rows\n")


def _course(args: argparse.Namespace) -> str:
    """Returns the table of a course."""
    if args.assignment:
        raise UsageError("--assignment is for one gradebook; of several, columns are Homework N")
    with opening.opened_course(args) as found:
        if args.format == "canvas":
            refuse_without_number(list(found.people.values()), args.canvas_id)
            return course.canvas(found, args.canvas_id)
        if args.pseudonyms:
            rooms = [_nameless(room, args, found.id_of) for room in found.rooms]
            found = course.Course(rooms)
        return course.scores(found)


def _nameless(
    room: Classroom, args: argparse.Namespace, id_of: Callable[[str], str] = str
) -> Classroom:
    """Returns the class without names; the first gradebook's secret makes those of all."""
    with contextlib.closing(Gradebook(args.gradebooks[0])) as book:
        name = namer(key_of(book))
    return without_names(room, lambda who: name(id_of(who)))

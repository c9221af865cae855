"""`export`: a class's points as a table."""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path

from autograder.base.errors import UsageError
from autograder.base.files import write_whole
from autograder.classroom.gradebook import Gradebook
from autograder.commands import Commands
from autograder.reports import course, opening, tables
from autograder.reports.classroom import Classroom
from autograder.reports.pseudonyms import key_of, namer, without_names
from autograder.reports.text import counted


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
        if open_ones := sum(bool(student.needs_line) for student in room.students):
            sys.stderr.write(
                f"autograder: {counted(open_ones, 'student')} of the table still "
                f"need{'s' if open_ones == 1 else ''} you; the points are those of now\n"
            )
        return tables.canvas(room, name, args.canvas_id)
    return tables.scores(_nameless(room, args) if args.pseudonyms else room)


def _course(args: argparse.Namespace) -> str:
    """Returns the table of a course."""
    if args.assignment:
        raise UsageError("--assignment is for one gradebook; of several, columns are Homework N")
    with opening.opened_course(args) as found:
        if args.format == "canvas":
            return course.canvas(found, args.canvas_id)
        if args.pseudonyms:
            found = course.Course([_nameless(room, args) for room in found.rooms])
        return course.scores(found)


def _nameless(room: Classroom, args: argparse.Namespace) -> Classroom:
    """Returns the class without names; the first gradebook's secret makes those of all."""
    with contextlib.closing(Gradebook(args.gradebooks[0])) as book:
        return without_names(room, namer(key_of(book)))

"""`export`: a class's points as a table."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from autograder.base.errors import UsageError
from autograder.base.files import write_whole
from autograder.commands import Commands
from autograder.reports import opening, tables


def add_parser(commands: Commands) -> None:
    """Describes the command line."""
    parser = commands.add_parser(
        "export", allow_abbrev=False, help="write a graded class's points as CSV"
    )
    opening.add_arguments(parser)
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
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Runs `export`; returns the exit status."""
    room = opening.open_class(args)
    if args.format == "canvas":
        name = args.assignment or f"Homework {room.homework.removeprefix('hw')}"
        text = tables.canvas(room, name, args.canvas_id)
    else:
        text = tables.scores(room)
    if args.o is None:
        sys.stdout.write(text)
        return 0
    try:
        write_whole(args.o, text)
    except OSError as error:
        raise UsageError(f"-o: {args.o} cannot be written: {error.strerror}") from error
    return 0

"""`report`: pages about a class and each of its students."""

from __future__ import annotations

import argparse
from pathlib import Path

from autograder.base.errors import UsageError
from autograder.commands import Commands
from autograder.reports import opening
from autograder.reports.text import counted


def add_parser(commands: Commands) -> None:
    """Describes the command line."""
    parser = commands.add_parser(
        "report", allow_abbrev=False, help="write pages about a graded class and each student"
    )
    opening.add_arguments(parser)
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="where the pages go (GRADEBOOK/report)"
    )
    parser.add_argument(
        "--feedback",
        choices=("verdicts", "full"),
        default="full",
        help="verdicts: students read what passed, and no explanation yet (full)",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Runs `report`; returns the exit status."""
    from autograder.reports.pages import CODE, INDEX, STUDENTS, write_pages  # Jinja2 loads slowly

    room = opening.open_class(args, code=True)
    out = args.out or args.gradebook / "report"
    try:
        write_pages(room, out, args.feedback == "verdicts")
    except OSError as error:
        raise UsageError(f"--out: {out} cannot be written: {error.strerror}") from error
    print(f"{out / INDEX}: the class, for the instructor")
    if (out / CODE).is_dir():
        print(f"{out / CODE}: each student's code beside the solution, for the instructor")
    print(f"{out / STUDENTS}: {counted(len(room.students), 'page')}, one for each student")
    return 0

"""`report`: pages about a class and each of its students."""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path

from autograder.base.text import UsageError, counted
from autograder.classroom.gradebook import Gradebook
from autograder.commands import Commands
from autograder.reports import opening
from autograder.reports.classroom import Classroom


def add_parser(commands: Commands) -> None:
    """Describes the command line."""
    parser = commands.add_parser(
        "report", allow_abbrev=False, help="write pages about a graded class and each student"
    )
    opening.add_arguments(parser, several=True)
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="where the pages go (GRADEBOOK/report, course)",
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
    import jinja2  # noqa: F401  (where it is missing, that is reported before anything is read)

    if len(args.gradebooks) > 1:
        return run_course(args)
    args.gradebook = args.gradebooks[0]
    _write(opening.open_class(args, code=True), args.out or args.gradebook / "report", args)
    return 0


def run_course(args: argparse.Namespace) -> int:
    """Writes the pages of each homework, and one page over all of them; returns the status."""
    from autograder.reports.pages import INDEX, write_course

    with opening.opened_course(args, code=True) as course:
        folders = {folder_of(folder): folder for folder in args.gradebooks}
        for room in course.rooms:
            _write(room, folders[room.homework] / "report", args)
    out = args.out or Path("course")
    try:
        write_course(course, out)
    except OSError as error:
        raise UsageError(f"--out: {out} cannot be written: {error.strerror}") from error
    print(f"{out / INDEX}: the course, for the instructor")
    return 0


def folder_of(folder: Path) -> str:
    """Returns the homework of a gradebook."""
    with contextlib.closing(Gradebook(folder)) as book:
        return book.fact("homework") or ""


def _write(room: Classroom, out: Path, args: argparse.Namespace) -> None:
    """Writes the pages of one homework, and prints where they are."""
    from autograder.reports.pages import CODE, INDEX, STUDENTS, write_pages  # Jinja2 loads slowly

    try:
        write_pages(room, out, args.feedback == "verdicts")
    except OSError as error:
        raise UsageError(f"--out: {out} cannot be written: {error.strerror}") from error
    print(f"{out / INDEX}: the class, for the instructor")
    if (out / CODE).is_dir():
        print(f"{out / CODE}: each student's code beside the solution, for the instructor")
    print(f"{out / STUDENTS}: {counted(len(room.students), 'page')}, one for each student")

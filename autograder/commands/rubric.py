"""`rubric`: adds questions that people grade, with a table to fill in."""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path

from autograder.base.files import write_whole
from autograder.base.text import UsageError, counted
from autograder.classroom.gradebook import Gradebook
from autograder.classroom.people import author, now
from autograder.classroom.written import (
    read_rubric,
    read_sheet,
    rubric,
    set_grades,
    set_rubric,
    sheet,
)
from autograder.commands import Commands
from autograder.reports.tables import as_csv
from autograder.reports.text import cell


def add_parser(commands: Commands) -> None:
    """Describes the command line."""
    parser = commands.add_parser(
        "rubric", allow_abbrev=False, help="grade written answers by hand, in a table"
    )
    parser.add_argument("gradebook", type=Path, metavar="GRADEBOOK", help="what `grade` wrote")
    parser.add_argument(
        "--questions", type=Path, metavar="CSV", help="the rubric: columns question, item, points"
    )
    parser.add_argument("-o", type=Path, metavar="CSV", help="write the table to fill in there")
    parser.add_argument("--read", type=Path, metavar="CSV", help="read the filled table")
    parser.add_argument("--by", metavar="NAME", help="who graded (your login), for the student")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Reads a rubric or a filled table, and writes the table to fill in.

    Raises:
        UsageError: If a file is wrong; then nothing of it is kept.
    """
    with contextlib.closing(Gradebook(args.gradebook)) as book:
        if args.questions:
            items = read_rubric(args.questions)
            set_rubric(book, items)
            number = len({one.question for one in items})
            print(f"{counted(number, 'question')} with {counted(len(items), 'item')}")
        if not rubric(book):
            raise UsageError("there is no rubric yet: name its file with --questions")
        names = {who: name for who, (name, _) in book.students().items()}
        if args.read:
            found = read_sheet(args.read, book, names, author(args.by), now())
            changed = set_grades(book, found)
            print(f"{counted(changed, 'student')} changed")
            print(f"now: python -m autograder report {args.gradebook}")
        elif args.o or not args.questions:
            _write(args, as_csv([cell(one) for one in row] for row in sheet(book, names)))
    return 0


def _write(args: argparse.Namespace, text: str) -> None:
    """Writes the table to fill in."""
    if args.o is None:
        sys.stdout.write(text)
        return
    try:
        write_whole(args.o, text)
    except OSError as error:
        raise UsageError(f"-o: {args.o} cannot be written: {error.strerror}") from error
    print(
        f"{args.o}: fill it in, then: python -m autograder rubric {args.gradebook} --read {args.o}"
    )

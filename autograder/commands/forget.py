"""`forget`: takes all about one student out of a gradebook."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from autograder.base.text import UsageError
from autograder.classroom.forget import forget, names_of
from autograder.classroom.gradebook import Gradebook
from autograder.classroom.people import find_student
from autograder.commands import Commands
from autograder.reports.text import page_name, printable


def add_parser(commands: Commands) -> None:
    """Describes the command line."""
    parser = commands.add_parser(
        "forget", allow_abbrev=False, help="take all about one student out of a gradebook"
    )
    parser.add_argument("gradebook", type=Path, metavar="GRADEBOOK", help="what `grade` wrote")
    parser.add_argument("student", metavar="STUDENT", help="id, email or name")
    parser.add_argument("--yes", action="store_true", help="do it; else only say what would go")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Forgets a student, with `--yes`; returns 0.

    Raises:
        UsageError: If the gradebook knows no such student.
    """
    with contextlib.closing(Gradebook(args.gradebook)) as book:
        student = find_student(book, args.student)
        gone = [*pages(args.gradebook, student, names_of(book, student))]
        if not args.yes:
            print(f"{printable(student)}: their rows in {args.gradebook}")
            for file in gone:
                print(file)
            print("nothing was taken out yet: with --yes it is gone for good")
            return 0
        forget(book, student)
    try:
        for file in gone:
            file.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"{error.filename} is still there: {error.strerror}") from error
    print(f"{printable(student)} is forgotten, and the pages that showed them are gone")
    print(f"now: python -m autograder report {args.gradebook}")
    print(
        "take them out yourself: what they handed in, the roster, policy.toml, backups, and the "
        "tables and zips that you wrote elsewhere"
    )
    return 0


def pages(gradebook: Path, student: str, names: Sequence[str]) -> Iterator[Path]:
    """Yields the pages about a student, and those that name them: the class's, a partner's."""
    words = [*names, *map(escape, names)]
    for file in sorted(gradebook.rglob("*.html")):
        text = file.read_text(encoding="utf-8", errors="replace")
        if file.name == page_name(student) or any(word in text for word in words):
            yield file

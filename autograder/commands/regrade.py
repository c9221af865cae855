"""`regrade`: judges a class again with the present grader, and prints what that would change."""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path

from autograder.base.checks import checks
from autograder.base.text import UsageError
from autograder.classroom.again import scope_of
from autograder.classroom.gradebook import Gradebook, Grading
from autograder.commands import Commands, write_report
from autograder.commands.grade import add_options, judge_class, prepared


def add_parser(commands: Commands) -> None:
    """Describes the command line."""
    parser = commands.add_parser(
        "regrade",
        allow_abbrev=False,
        help="judge a class again, and print who changes before anything is published",
    )
    parser.add_argument("homework", help="such as hw3")
    parser.add_argument("submissions", type=Path, help="folder of what was handed in")
    parser.add_argument("out", type=Path, metavar="GRADEBOOK", help="what `grade` wrote")
    parser.add_argument("--diff", action="store_true", help="print who changes (it does so anyway)")
    parser.add_argument(
        "--accept", action="store_true", help="let the new grading be the one that counts"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the changes there too")
    parser.add_argument(
        "--student",
        action="append",
        default=[],
        metavar="STUDENT",
        help="only this one (repeat)",
    )
    parser.add_argument(
        "--check", action="append", default=[], metavar="CHECK", help="only this one (repeat)"
    )
    add_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Judges again; returns 0 if nothing changes, 1 if something does, 3 for errors of ours."""
    from autograder.reports.diff import as_json, compare, describe

    old = present(args.out)
    with contextlib.closing(Gradebook(args.out)) as book:  # before anybody waits for the rest
        scope = scope_of(book, old, args.student, args.check, known_checks(args.homework))
    with prepared(args, create=False) as (book, found, roster):
        book.set_current(old)  # until the new one is accepted
        grading, problems = judge_class(book, found, roster, args, scope)
        changes = compare(book, old.id, grading.id)
        print(describe(changes))
        write_report(args.json, as_json(changes))
        if args.accept and not problems:
            book.set_current(grading)
            print("accepted: reports and exports show the new grading now")
        elif changes:
            print("nothing is published yet: with --accept, the new grading counts")
    return 3 if problems else int(bool(changes))


def known_checks(homework: str) -> list[str]:
    """Returns the ids of all that is judged."""
    from autograder.evidence.rules import questions

    return [one.id for one in checks(homework)] + [one.id for one in questions(homework)]


def present(folder: Path) -> Grading:
    """Returns the grading that counts so far.

    Raises:
        UsageError: If there is none.
    """
    with contextlib.closing(Gradebook(folder)) as book:
        old = book.current()
    if old is None:
        raise UsageError(f"{folder} has no grading yet; run `grade` first")
    return old

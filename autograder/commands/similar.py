"""`similar`: ranks pairs of students whose code is more alike than chance explains."""

from __future__ import annotations

import argparse
from pathlib import Path

from autograder.base.text import UsageError
from autograder.commands import Commands
from autograder.reports import opening
from autograder.reports.text import printable

FOLDER = "similar"


def add_parser(commands: Commands) -> None:
    """Describes the command line."""
    parser = commands.add_parser(
        "similar", allow_abbrev=False, help="find code that is more alike than chance explains"
    )
    opening.add_arguments(parser)
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help=f"where the page goes (GRADEBOOK/{FOLDER})"
    )
    parser.add_argument("--most", type=int, default=20, help="pairs that are shown (20)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints the pairs, and writes the page with both texts; returns 0.

    Raises:
        UsageError: If there is no code to compare.
    """
    if args.most < 1:
        raise UsageError(f"--most {args.most}: at least 1 is needed")
    from autograder.reports.similar import STANDS_OUT, in_words, worth_a_look, write_page

    room = opening.open_class(args, code=True)
    pairs, number = worth_a_look(room, args.most)
    if not number:
        raise UsageError(
            f"{args.gradebook} has no code: an older release graded it. Run `grade` again with the "
            "same submissions: it judges nothing twice, and keeps the code"
        )
    out = args.out or args.gradebook / FOLDER
    try:
        write_page(room, pairs, number, out)
    except OSError as error:
        raise UsageError(f"--out: {out} cannot be written: {error.strerror}") from error
    for pair in pairs:
        mark = "stands out" if pair.expected < STANDS_OUT else "perhaps"
        who = " and ".join(", ".join(one.students) for one in (pair.one, pair.other))
        print(printable(f"{mark}: {who}: {in_words(pair)}"))
    if not pairs:
        print(f"no pair of {number} stands out")
    print(f"{out / 'index.html'}: both texts side by side, for the instructor")
    return 0

"""`handback`: bundles students' pages in one zip, for Canvas or Gradescope."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from autograder.base.files import write_zip
from autograder.base.text import UsageError, counted
from autograder.commands import Commands
from autograder.reports import opening
from autograder.reports.text import printable


def add_parser(commands: Commands) -> None:
    """Describes the command line."""
    parser = commands.add_parser(
        "handback", allow_abbrev=False, help="bundle students' pages for Canvas or Gradescope"
    )
    opening.add_arguments(parser)
    parser.add_argument("-o", type=Path, required=True, metavar="OUT.zip", help="the zip to write")
    parser.add_argument(
        "--format",
        choices=("canvas", "gradescope", "ids"),
        help="how pages are named (as what was handed in)",
    )
    parser.add_argument(
        "--feedback", choices=("verdicts", "full"), default="full", help="as for `report` (full)"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Writes the zip; returns 0.

    Raises:
        UsageError: If nobody's page would be in it, or it cannot be written.
    """
    from autograder.reports.handback import layout_of, pages  # Jinja2 loads slowly

    if args.o.is_dir() or not args.o.absolute().parent.is_dir():
        raise UsageError(f"-o: {args.o} cannot be written: name a file in a folder that exists")
    room = opening.open_class(args, code=True)
    layout = args.format or layout_of(room)
    found, missing = pages(room, layout, args.feedback == "verdicts")
    if not found:
        raise UsageError(f"--format {layout}: nothing was handed in under such names; try ids")
    try:
        write_zip(args.o, found)
    except OSError as error:
        raise UsageError(f"-o: {args.o} cannot be written: {error.strerror}") from error
    print(f"{args.o}: {counted(len(found), 'page')}, named as {layout} knows them")
    if missing:
        names = printable(", ".join(missing[: opening.SHOWN]))
        more = ", ..." if len(missing) > opening.SHOWN else ""
        sys.stderr.write(f"autograder: without a page: {names}{more}: nothing was handed in so\n")
    return 0

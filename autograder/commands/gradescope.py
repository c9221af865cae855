"""`gradescope`: builds the zip that grades a homework on Gradescope."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from autograder.base import checks as homeworks
from autograder.base.text import UsageError
from autograder.commands import Commands
from autograder.gradescope.build import BuildError, build, choose_seed
from autograder.gradescope.settings import MOMENTS, Settings
from autograder.source import reference


def add_parser(commands: Commands) -> None:
    """Describes the command line."""
    parser = commands.add_parser(
        "gradescope", allow_abbrev=False, help="build the zip that grades on Gradescope"
    )
    parser.add_argument("homework", help="such as hw3")
    parser.add_argument("out", type=Path, metavar="OUT.zip", help="the zip to write")
    parser.add_argument(
        "--seed", type=int, help="of the numbers in the checks; unless given, one is drawn"
    )
    parser.add_argument(
        "--minutes", type=float, default=8.0, help="most time for one submission (8)"
    )
    parser.add_argument("--runs", action="store_true", help="judge the training runs in data/ too")
    parser.add_argument(
        "--explain",
        choices=MOMENTS,
        default=MOMENTS[0],
        help="when students read explanations; at once they read what passed (visible)",
    )
    parser.add_argument(
        "--index", metavar="URL", help="a further package index for setup.sh, as of CPU builds"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Builds the zip; returns 0.

    Raises:
        UsageError: If it cannot be built.
    """
    reference.require_clone("gradescope", "setup.py", "constraints.txt")
    homeworks.checks(args.homework)  # that there is such a homework
    if args.minutes <= 0:
        raise UsageError(f"--minutes {args.minutes:g}: it takes more than 0")
    if args.out.is_dir() or not args.out.absolute().parent.is_dir():
        raise UsageError(f"{args.out} cannot be written: name a file in a folder that exists")
    try:
        seed = choose_seed(args.homework, args.seed)
        settings = Settings(args.homework, seed, args.minutes, args.runs, args.explain)
        build(settings, args.out, args.index)
    except BuildError as error:
        raise UsageError(str(error)) from error
    except OSError as error:
        raise UsageError(f"{args.out} cannot be written: {error.strerror}") from error
    sys.stdout.write(
        f"{args.out} grades {args.homework} with seed {seed}. It contains the answers: upload it "
        "to Gradescope, and give it to nobody.\n"
    )
    return 0

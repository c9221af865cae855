"""`release`: makes the tree that students get from the one solved source."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from autograder.base.text import UsageError
from autograder.commands import Commands
from autograder.misconceptions import catalogue
from autograder.release import ReleaseError, explained, gate, tree
from autograder.source import reference


def add_parser(commands: Commands) -> None:
    """Describes the command line."""
    parser = commands.add_parser(
        "release", allow_abbrev=False, help="make the tree that students are given"
    )
    parser.add_argument("homework", help="such as hw3")
    parser.add_argument("out", type=Path, metavar="OUT", help="a folder that is not there yet")
    parser.add_argument("--zip", action="store_true", help="also write OUT.zip")
    parser.add_argument(
        "--gate",
        choices=gate.DEGREES,
        default="quick",
        help="quick: nothing leaks, all blanks are seen as such, the solution passes (default); "
        "full: also with the other seeds, and with each blank empty in its turn; slower",
    )
    parser.set_defaults(run=run)


def progress(line: str) -> None:
    """Prints what is being done."""
    sys.stderr.write(f"autograder: {line}\n")
    sys.stderr.flush()


def make(args: argparse.Namespace, folder: Path) -> list[str]:
    """Makes the tree in `folder`, and moves it to its place if nothing is wrong with it.

    Returns:
        Its problems, a line each.

    Raises:
        OSError: If it cannot be written.
    """
    problems = list(gate.of_source(args.homework))
    try:
        if not problems:
            progress("writing the tree")
            tree.write_tree(args.homework, folder)
            problems = gate.problems(args.homework, folder, args.gate, progress)
        if not problems:
            progress("writing the pages about mistakes")
            problems = explained.write_pages(args.homework, folder)
    except ReleaseError as error:
        return [str(error)]
    if not problems:
        tree.publish(folder, args.out, args.zip)
    return problems


def run(args: argparse.Namespace) -> int:
    """Writes the tree, whole or not at all; returns 0, or 1 if it must not be given out."""
    reference.require_clone("release", "autograder/source/reference.zip", "setup.py", "docs")
    catalogue.checks_so_far(args.homework)  # raises if there is no such homework
    try:
        with tree.in_the_making(args.out) as folder:
            problems = make(args, folder)
    except OSError as error:
        raise UsageError(f"{args.out} cannot be written: {error.strerror or error}") from error
    for problem in problems:
        sys.stderr.write(f"{problem}\n")
    if problems:
        progress("nothing was released, for the reasons above")
        return 1
    print(f"{args.out} is ready to be given out")
    if earlier := tree.solved_in(args.homework):
        print(
            f"it contains our solutions of {', '.join(earlier)}: give it out when nobody has an "
            "extension for those any more"
        )
    if ungraded := catalogue.ungraded(args.homework):
        print(f"not judged, for they have no check yet: {', '.join(ungraded)}")
    return 0

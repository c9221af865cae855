"""`start`: makes a learner's own tree of a homework, with empty blanks to fill."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

from autograder.base.errors import UsageError
from autograder.commands import Commands
from autograder.misconceptions import catalogue
from autograder.release import learner, tree
from autograder.source import reference

INSTALL = """
Install it in the place of the clone, so that its own code is what runs:

  cd {folder}
  pip install -c constraints.txt -e ".[dev]"
"""
JUDGED = """
Then read docs/{homework}.md, fill a blank, and see what is right:

  grep -rn 'TODO("{homework}\\.' cs285
  python -m autograder check {homework} --watch
"""
NOT_JUDGED = """
Then read docs/{homework}.md, which shows how to try what you wrote, and fill the blanks:

  grep -rn 'TODO("{homework}\\.' cs285
"""


def add_parser(commands: Commands) -> None:
    """Describes the command line."""
    parser = commands.add_parser(
        "start", allow_abbrev=False, help="make your own tree of a homework, with empty blanks"
    )
    parser.add_argument("homework", help="such as hw3")
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder that is not there yet")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Writes the tree, whole or not at all, and prints the next commands; returns 0.

    Raises:
        UsageError: If the tree cannot be made.
    """
    reference.require_clone("start", "autograder/source/reference.zip", "setup.py")
    checks = catalogue.checks_so_far(args.homework)  # raises if there is no such homework
    try:
        with tree.in_the_making(args.folder) as made:
            sys.stderr.write(f"autograder: writing {args.folder}\n")
            learner.write_tree(args.homework, made)
            tree.publish(made, args.folder, zipped=False)
    except OSError as error:
        raise UsageError(f"{args.folder} cannot be written: {error.strerror or error}") from error
    print(next_steps(args.homework, args.folder, bool(checks)))
    return 0


def next_steps(name: str, folder: Path, judged: bool) -> str:
    """Returns what to type next, and which blanks nothing judges yet."""
    ungraded = catalogue.ungraded(name)
    lines = [f"{folder} is ready: {len(catalogue.blanks(name))} blanks to fill."]
    if ungraded:
        lines.append(f"Not judged, for they have no check yet: {', '.join(ungraded)}")
    text = INSTALL + (JUDGED if judged else NOT_JUDGED)
    lines.append(text.format(homework=name, folder=shlex.quote(str(folder))))
    return "\n".join(lines).rstrip()

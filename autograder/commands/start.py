"""`start`: makes a learner's own tree of a homework, with empty blanks to fill."""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
from pathlib import Path

from autograder.base.text import UsageError
from autograder.commands import Commands
from autograder.misconceptions import catalogue
from autograder.release import learner, notebooks, renewal, tree
from autograder.source import reference

INSTALL = """
Install it in the place of the clone, so that its own code is what runs:

  cd {folder}
  pip install -c constraints.txt -e ".[dev]"
"""
NO_NOTEBOOK = """
It has no notebook, for which jupytext is missing. To get one, type here:

  pip install -c constraints.txt jupytext
  python -m autograder start {homework} {folder} --update"""
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
    parser.add_argument(
        "--update", action="store_true", help="renew what DIR was given, and keep what you wrote"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Writes the tree, whole or not at all, and prints the next commands; returns 0.

    Raises:
        UsageError: If the tree cannot be made.
    """
    reference.require_clone("start", "autograder/source/reference.zip", "setup.py")
    checks = catalogue.checks_so_far(args.homework)  # raises if there is no such homework
    if args.update:
        return update(args)
    try:
        with tree.in_the_making(args.folder) as made:
            sys.stderr.write(f"autograder: writing {args.folder}\n")
            learner.write_tree(args.homework, made)
            tree.publish(made, args.folder, zipped=False)
    except OSError as error:
        raise UsageError(f"{args.folder} cannot be written: {error.strerror or error}") from error
    print(next_steps(args.homework, args.folder, bool(checks)))
    return 0


def update(args: argparse.Namespace) -> int:
    """Brings a learner's tree up to date, or leaves it alone; prints what changes; returns 0.

    Raises:
        UsageError: If an edit of the learner's is in the way; then nothing is written.
    """
    if not args.folder.is_dir():
        raise UsageError(f"{args.folder} is no folder; without --update it is made")
    try:
        with tempfile.TemporaryDirectory(dir=args.folder.absolute().parent) as name:
            new = Path(name) / args.folder.name
            learner.write_tree(args.homework, new)
            found = renewal.plan(args.homework, args.folder, new)
            if found.conflicts:
                for line in found.conflicts:
                    sys.stderr.write(f"{line}\n")
                raise UsageError(
                    f"{args.folder} is as it was: your edits are in the way; undo those above, "
                    "update, and make them again"
                )
            renewal.carry_out(found, args.folder, new)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{args.folder} cannot be updated: {error}") from error
    print("\n".join(found.lines) or f"{args.folder} is up to date")
    return 0


def next_steps(name: str, folder: Path, judged: bool) -> str:
    """Returns what to type next, and which blanks nothing judges yet."""
    ungraded = catalogue.ungraded(name)
    lines = [f"{folder} is ready: {len(catalogue.blanks(name))} blanks to fill."]
    if ungraded:
        lines.append(f"Not judged, for they have no check yet: {', '.join(ungraded)}")
    if name in notebooks.homeworks() and not notebooks.can_build():
        lines.append(NO_NOTEBOOK.format(homework=name, folder=shlex.quote(str(folder))))
    text = INSTALL + (JUDGED if judged else NOT_JUDGED)
    lines.append(text.format(homework=name, folder=shlex.quote(str(folder))))
    return "\n".join(lines).rstrip()

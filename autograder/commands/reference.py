"""`reference`: packages the solved cs285 as what submissions are judged by (for its authors)."""

from __future__ import annotations

import argparse

from autograder.base.text import UsageError
from autograder.commands import Commands
from autograder.source import reference


def add_parser(commands: Commands) -> None:
    """Describes the command line."""
    parser = commands.add_parser(
        "reference", allow_abbrev=False, help="package cs285/ as what submissions are judged by"
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; status 1 if cs285/ differs from it"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Packages the reference, or compares; returns 0, or 1 if a file differs.

    Raises:
        UsageError: If the archive cannot be written, or this is no clone.
    """
    reference.require_clone("reference", "setup.py")
    changed = reference.differences()
    for path in changed:
        print(f"{path} differs from the reference")
    if args.check:
        return int(bool(changed))
    try:
        reference.update()
    except OSError as error:
        raise UsageError(f"{reference.ARCHIVE} cannot be written: {error.strerror}") from error
    print(f"the reference contains {len(reference.texts())} files of cs285/ as they are now")
    return 0

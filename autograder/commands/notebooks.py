"""`notebooks`: makes the notebooks of homeworks from their scripts."""

from __future__ import annotations

import argparse
from pathlib import Path

from autograder.base.text import UsageError
from autograder.commands import Commands
from autograder.release import notebooks
from autograder.source import ROOT, reference
from autograder.source.handout_files import write


def add_parser(commands: Commands) -> None:
    """Describes the command line."""
    parser = commands.add_parser(
        "notebooks", allow_abbrev=False, help="make the notebooks from notebooks/*.py"
    )
    parser.add_argument(
        "--out", type=Path, metavar="DIR", default=ROOT / "notebooks", help="where (notebooks)"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Writes the notebooks; returns 0.

    Raises:
        UsageError: If they cannot be written, or a script names what is not there.
    """
    reference.require_clone("notebooks", "autograder/source/reference.zip", "notebooks", "docs")
    try:
        for homework in notebooks.homeworks():
            file = args.out / f"{homework}.ipynb"
            write(file, notebooks.build(homework))
            print(file)
    except ValueError as error:
        raise UsageError(str(error)) from error
    except OSError as error:
        raise UsageError(f"{args.out} cannot be written: {error.strerror}") from error
    return 0

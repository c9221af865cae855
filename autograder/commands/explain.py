"""`explain`: makes the page of a blank, which shows what each misconception does."""

from __future__ import annotations

import argparse
import functools
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.base.checks import names
from autograder.base.files import write_whole
from autograder.base.text import UsageError
from autograder.commands import Commands
from autograder.grading.next_step import PAGES
from autograder.source import ROOT, reference

if TYPE_CHECKING:
    from autograder.symptoms.page import Change

NEEDS = "autograder/homeworks/shared_mutations"


def add_parser(commands: Commands) -> None:
    """Describes the command line."""
    parser = commands.add_parser(
        "explain",
        allow_abbrev=False,
        help="make a page on the mistakes of a blank: equation, numbers, learning",
    )
    parser.add_argument(
        "blank", help="such as hw3.dqn.targets; hw3: all of a homework, with its quiz; or all"
    )
    parser.add_argument(
        "-o", "--out", type=Path, metavar="FOLDER", help="where the pages go (explained)"
    )
    parser.add_argument(
        "--linked",
        action="store_true",
        help=f"for the documents: into {PAGES}, with links to the handout's pages",
    )
    parser.add_argument("--quiz", action="store_true", help="make the homework's quiz alone")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Writes pages, and prints where they are; returns 0.

    Raises:
        UsageError: If there is no such blank, this is no clone, or nothing can be written.
    """
    reference.require_clone("explain", NEEDS)
    from autograder.release.explained import pages
    from autograder.symptoms.page import PageError

    out = args.out or (ROOT / PAGES if args.linked else Path("explained"))
    homework, _, rest = args.blank.partition(".")
    homeworks = names() if args.blank == "all" else [homework]
    try:
        for one in homeworks:
            change = _links(one) if args.linked else None
            for name, text in pages(one, args.blank if rest else "", args.quiz, change):
                out.mkdir(parents=True, exist_ok=True)
                write_whole(out / name, text)
                size = len(text.encode()) / 1000
                print(f"{out / name}  ({size:,.0f} kB)", flush=True)
    except PageError as error:
        raise UsageError(str(error)) from error
    except OSError as error:
        raise UsageError(f"{out}: cannot be written: {error.strerror}") from error
    return 0


def _links(homework: str) -> Change:
    """Returns what adds links to the handout's pages."""
    from autograder.reports.linked_pages import linked

    return functools.partial(linked, homework)

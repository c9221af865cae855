"""`explain`: makes the page of a blank, which shows what each misconception does."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path

from autograder.base.checks import Check, names
from autograder.base.errors import UsageError
from autograder.base.files import write_whole
from autograder.commands import Commands
from autograder.source import reference

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
        "-o",
        "--out",
        type=Path,
        default=Path("explained"),
        metavar="FOLDER",
        help="where the pages go (explained)",
    )
    parser.add_argument("--quiz", action="store_true", help="make the homework's quiz alone")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Writes pages, and prints where they are; returns 0.

    Raises:
        UsageError: If there is no such blank, this is no clone, or nothing can be written.
    """
    reference.require_clone("explain", NEEDS)
    from autograder.symptoms.page import PageError

    homework, _, rest = args.blank.partition(".")
    homeworks = names() if args.blank == "all" else [homework]
    try:
        for one in homeworks:
            for name, text in pages(one, f"{one}.{rest}" if rest else "", args.quiz):
                args.out.mkdir(parents=True, exist_ok=True)
                file = args.out / name
                write_whole(file, text)
                print(f"{file}  ({len(text.encode()) / 1000:,.0f} kB)", flush=True)
    except PageError as error:
        raise UsageError(str(error)) from error
    except OSError as error:
        raise UsageError(f"{args.out}: cannot be written: {error.strerror}") from error
    return 0


def pages(homework: str, blank: str, quiz: bool) -> Iterator[tuple[str, str]]:
    """Yields the name and the text of each page that is asked for; none shows a solution.

    Args:
        homework: Such as "hw3".
        blank: Its id; "" for all of the homework, and the quiz.
        quiz: Whether the quiz alone is wanted.

    Raises:
        UsageError: If there is no such blank.
        PageError: If a page cannot be made, or would show a line of a solution.
    """
    from autograder.symptoms import page

    checks: Mapping[str, Check] = page.explainable(homework)
    wanted = [blank] if blank else list(checks)
    if blank not in ("", *checks):
        raise UsageError(f"no check asks about {blank}; there are {', '.join(checks)}")
    for id in () if quiz else wanted:
        yield f"{id}.html", safe(homework, id, page.blank_page(checks[id]))
    if quiz or not blank:
        text = page.quiz_page(homework)
        if text:
            yield f"{homework}.quiz.html", safe(homework, "the quiz", text)


def safe(homework: str, name: str, text: str) -> str:
    """Returns a page that shows no line of a solution.

    Raises:
        PageError: If it does.
    """
    from autograder.release import leaks
    from autograder.symptoms.page import PageError

    if solved := leaks.in_page(text, homework):
        raise PageError(f"{name}: the page would show a line of the solution of {solved}")
    return text

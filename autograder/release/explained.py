"""The pages about misconceptions as they may be given out: none shows a line of a solution."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from autograder.base.files import write_whole
from autograder.base.text import UsageError
from autograder.release import leaks
from autograder.symptoms import page
from autograder.symptoms.page import Change, PageError

FOLDER = "docs/misconceptions"
"""Where a handout has them."""


def pages(
    homework: str, blank: str = "", quiz: bool = False, change: Change | None = None
) -> Iterator[tuple[str, str]]:
    """Yields the name and the text of each page that is asked for.

    Args:
        homework: Such as "hw3".
        blank: Its id; "" for all of the homework, their list and the quiz.
        quiz: Whether the quiz alone is wanted.
        change: Adds to the content of each page, if anything is to be added.

    Raises:
        UsageError: If there is no such blank.
        PageError: If a page cannot be made, or would show a line of a solution.
    """
    checks = page.explainable(homework)
    if blank not in ("", *checks):
        raise UsageError(f"no check asks about {blank}; there are {', '.join(checks)}")
    for id in () if quiz else [blank] if blank else list(checks):
        yield f"{id}.html", safe(homework, id, page.blank_page(checks[id], change))
    if not quiz and not blank:
        yield f"{homework}.html", safe(homework, "the list", page.homework_page(homework, change))
    if quiz or not blank:
        text = page.quiz_page(homework, change)
        if text:
            yield f"{homework}.quiz.html", safe(homework, "the quiz", text)


def safe(homework: str, name: str, text: str) -> str:
    """Returns a page that shows no line of a solution.

    Raises:
        PageError: If it does.
    """
    if solved := leaks.in_page(text, homework):
        raise PageError(f"{name}: the page would show a line of the solution of {solved}")
    return text


def write_pages(homework: str, folder: Path) -> list[str]:
    """Writes all pages of a homework into a handout; returns what is wrong with them, if anything.

    Raises:
        OSError: If they cannot be written.
    """
    (folder / FOLDER).mkdir(parents=True, exist_ok=True)
    try:
        for name, text in pages(homework):
            write_whole(folder / FOLDER / name, text)
    except PageError as error:
        return [str(error)]
    return []

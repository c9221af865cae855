"""Which homeworks there are, with their checks and the mistakes they know."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from pathlib import Path

from autograder.check import Check, read_checks
from autograder.mistakes import Mistake, read_mistakes
from autograder.submission import given_texts

HERE = Path(__file__).parent
EMPTY = re.compile(r'TODO\("(hw\d+\.\w+\.\w+)"\)')


class UnknownHomeworkError(Exception):
    """There is no such homework here."""


class NoChecksError(UnknownHomeworkError):
    """The homework has blanks here, and no check yet."""


def names() -> list[str]:
    """Returns the homeworks that can be judged."""
    return sorted(file.parent.name for file in HERE.glob("hw*/checks.json"))


def checks(homework: str) -> list[Check]:
    """Returns a homework's checks, in the order of the score board.

    Raises:
        NoChecksError: If it has blanks alone so far.
        UnknownHomeworkError: If there is no such homework.
    """
    if homework in names():
        return read_checks(homework)
    if blanks(homework):
        number = homework.removeprefix("hw")
        raise NoChecksError(f"homework {number} has no checks yet, so nothing can be judged")
    raise UnknownHomeworkError(f"no homework {homework!r} here; there is: {', '.join(names())}")


def checks_so_far(homework: str) -> list[Check]:
    """Returns a homework's checks, of which there may be none yet.

    Raises:
        UnknownHomeworkError: If there is no such homework.
    """
    try:
        return checks(homework)
    except NoChecksError:
        return []


def blanks(homework: str) -> dict[str, str]:
    """Returns the file of each of a homework's blanks, by id; the path is within `cs285`."""
    return {id: path for id, path in _every_blank().items() if id.startswith(f"{homework}.")}


def ungraded(homework: str) -> list[str]:
    """Returns the blanks of a homework that no check with points judges yet."""
    graded = {check.id for check in checks_so_far(homework) if check.points}
    return [id for id in blanks(homework) if id not in graded]


@functools.cache
def _every_blank() -> dict[str, str]:
    return {id: path for path, text in given_texts("").items() for id in EMPTY.findall(text)}


@functools.cache
def mistakes(homework: str) -> Mapping[str, Mistake]:
    """Returns the mistakes that a homework's checks know by name.

    They are what the questions know, what any blank may raise, and the homework's own lists.

    Raises:
        ValueError: If an id stands in two of those.
    """
    from autograder.core.known import known_of  # which imports this module
    from autograder.core.question import questions

    own = [f"{homework}/{file.name}" for file in HERE.glob(f"{homework}/mistakes_*.json")]
    lists = [known_of(question).words for question in questions(homework)]
    known: dict[str, Mistake] = {}
    for new in [*lists, *map(read_mistakes, ["general_mistakes.json", *own])]:
        if twice := {id for id in known.keys() & new.keys() if known[id] != new[id]}:
            raise ValueError(f"{sorted(twice)} stand in two lists of {homework}")
        known |= new
    return known

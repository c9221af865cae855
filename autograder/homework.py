"""Which homeworks there are, with their checks and the mistakes they know."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path

from autograder.check import Check, read_checks
from autograder.mistakes import Mistake, read_mistakes

HERE = Path(__file__).parent


class UnknownHomeworkError(Exception):
    """There is no such homework here."""


def names() -> list[str]:
    """Returns the homeworks that can be judged."""
    return sorted(file.parent.name for file in HERE.glob("hw*/checks.json"))


def checks(homework: str) -> list[Check]:
    """Returns a homework's checks, in the order of the score board.

    Raises:
        UnknownHomeworkError: If there is no such homework.
    """
    if homework not in names():
        raise UnknownHomeworkError(f"no homework {homework!r} here; there is: {', '.join(names())}")
    return read_checks(homework)


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

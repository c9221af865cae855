"""Which homeworks there are, with their checks and the mistakes they know."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path

from autograder.check import Check, read_checks
from autograder.mistakes import Mistake


class UnknownHomeworkError(Exception):
    """There is no such homework here."""


def names() -> list[str]:
    """Returns the homeworks that can be judged."""
    return sorted(file.parent.name for file in Path(__file__).parent.glob("hw*/checks.json"))


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
    """Returns the mistakes that a homework's checks know by name."""
    from autograder.core.words import collect  # which imports this module

    return collect(homework)

"""Which homeworks there are, with their checks and the mistakes they know."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path

from autograder.check import Check
from autograder.mistakes import Mistake


class UnknownHomeworkError(Exception):
    """There is no such homework here."""


def names() -> list[str]:
    """Returns the homeworks that can be judged."""
    return sorted(file.parent.name for file in Path(__file__).parent.glob("hw*/checks.py"))


def checks(homework: str) -> list[Check]:
    """Returns a homework's checks, in the order of the score board.

    Raises:
        UnknownHomeworkError: If there is no such homework.
    """
    if homework not in names():
        raise UnknownHomeworkError(f"no homework {homework!r} here; there is: {', '.join(names())}")
    found: list[Check] = importlib.import_module(f"autograder.{homework}.checks").CHECKS
    return found


def mistakes(homework: str) -> Mapping[str, Mistake]:
    """Returns the mistakes that a homework's checks know by name."""
    known: Mapping[str, Mistake]
    known = importlib.import_module(f"autograder.{homework}.mistakes").MISTAKES
    return known

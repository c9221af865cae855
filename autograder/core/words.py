"""All mistakes that a homework's checks know by name."""

from __future__ import annotations

import importlib
import pkgutil

from autograder.core.known import Known
from autograder.core.question import questions
from autograder.mistakes import Mistake, read_mistakes


def collect(homework: str) -> dict[str, Mistake]:
    """Joins what the questions know, what any blank may raise, and the homework's own lists.

    Raises:
        ValueError: If an id stands in two of those.
    """
    package = importlib.import_module(f"autograder.{homework}")
    names = [i.name for i in pkgutil.iter_modules(package.__path__) if "mistakes_" in i.name]
    lists = [importlib.import_module(f"{package.__name__}.{name}").MISTAKES for name in names]
    known: dict[str, Mistake] = {}
    asked = [Known(question).words for question in questions(homework)]
    for new in [*asked, read_mistakes("general_mistakes.json"), *lists]:
        if twice := {id for id in known.keys() & new.keys() if known[id] != new[id]}:
            raise ValueError(f"{sorted(twice)} stand in two lists of {homework}")
        known |= new
    return known

"""All mistakes that the checks of homework 3 know by name."""

from __future__ import annotations

import importlib
import pkgutil

import autograder.hw3
from autograder.core.outcomes import known_mistakes, questions
from autograder.mistakes import Mistake


def _collect() -> dict[str, Mistake]:
    """Joins what the questions know and the lists of this folder's modules `mistakes_*`.

    Raises:
        ValueError: If an id stands in two of them.
    """
    known: dict[str, Mistake] = {}
    for question in questions("hw3"):
        known |= known_mistakes(question)
    for info in pkgutil.iter_modules(autograder.hw3.__path__):
        if info.name.startswith("mistakes_"):
            new = importlib.import_module(f"autograder.hw3.{info.name}").MISTAKES
            if twice := known.keys() & new.keys():
                raise ValueError(f"{info.name}: {sorted(twice)} stand elsewhere too")
            known |= new
    return known


MISTAKES = _collect()

"""All mistakes that a homework's checks know by name."""

from __future__ import annotations

from pathlib import Path

from autograder.core.known import Known
from autograder.core.question import questions
from autograder.mistakes import Mistake, read_mistakes

OWN_LISTS = "mistakes_*.json"  # of a homework


def collect(homework: str) -> dict[str, Mistake]:
    """Joins what the questions know, what any blank may raise, and the homework's own lists.

    Raises:
        ValueError: If an id stands in two of those.
    """
    folder = Path(__file__).parent.parent / homework
    files = ["general_mistakes.json", *(f"{homework}/{f.name}" for f in folder.glob(OWN_LISTS))]
    known: dict[str, Mistake] = {}
    asked = [Known(question).words for question in questions(homework)]
    for new in [*asked, *map(read_mistakes, files)]:
        if twice := {id for id in known.keys() & new.keys() if known[id] != new[id]}:
            raise ValueError(f"{sorted(twice)} stand in two lists of {homework}")
        known |= new
    return known

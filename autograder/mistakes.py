"""What a named mistake says to a student."""

from __future__ import annotations

from dataclasses import dataclass

from autograder.files import read_data


@dataclass(frozen=True)
class Mistake:
    """A mistake that the grader knows by name. None of its words is code that mends it."""

    title: str  # what is wrong, in one short sentence that a student understands
    explanation: str  # what it does to learning, and where to look
    # What to read: a paper's equation, a section of the handout, a page of a library.
    reference: str


def read_mistakes(name: str) -> dict[str, Mistake]:
    """Returns the mistakes of a JSON file of the grader's, by id."""
    return {id: Mistake(**words) for id, words in read_data(name).items()}

"""What a named mistake says to a student."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mistake:
    """A mistake that the grader knows by name. None of its words is code that mends it."""

    title: str
    """What is wrong, in one short sentence that a student understands."""
    explanation: str
    """What it does to learning, and where to look."""
    reference: str
    """What to read: a paper's equation, a section of the handout, a page of a library."""

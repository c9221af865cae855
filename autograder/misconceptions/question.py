"""A question about one blank, as far as a copy without answers has it."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from autograder.base.checks import Check


@dataclass(frozen=True)
class Question:
    """What the grader asks about one blank.

    Its answer lies in `blanks/`, by its name: points in a TOML file, of which a student's copy
    has a table instead.
    """

    blank: str  # its id
    name: str  # what its probe and its answer are called

    @property
    def homework(self) -> str:
        """The homework it belongs to."""
        return self.blank.partition(".")[0]

    @property
    def probe(self) -> str:
        """The probe's place below `autograder`."""
        return f"homeworks.{self.homework}.probes.{self.name}"


@functools.cache
def question(check: Check) -> Question:
    """Returns what a check asks about its blank."""
    return Question(check.id, check.probe.partition(":")[0].rpartition(".")[2])

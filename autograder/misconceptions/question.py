"""A question about one blank, as far as a copy without answers has it."""

from __future__ import annotations

import functools
import importlib
import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from autograder.base.checks import Check

Arrays = Mapping[str, np.ndarray]
LastRule = Callable[[Arrays, Arrays], str]
"""Takes the arrays of a record and of our solution; returns a misconception's id, or ""."""
Choice = tuple[tuple[int, int], ...]
"""The numbers of some sites, each with the number of the way that is taken there."""


@dataclass(frozen=True)
class Question:
    """What the grader asks about one blank.

    Its answer lies in `answers`, by its name: sites in a TOML file, of which a student's copy has a
    table instead; a rule, where there is one, in a module.
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

    @property
    def otherwise(self) -> LastRule | None:
        """Names the mistake of a record that nothing explains; few answers have such a rule."""
        name = f"autograder.homeworks.{self.homework}.mutations.{self.name}"
        return importlib.import_module(name).otherwise if importlib.util.find_spec(name) else None


@functools.cache
def question(check: Check) -> Question:
    """Returns what a check asks about its blank."""
    return Question(check.id, check.probe.partition(":")[0].rpartition(".")[2])

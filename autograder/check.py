"""A check: one blank of a homework, the probe that watches it and the answer that judges it."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograder.files import read_data
from autograder.judge import Judgement
from autograder.probing import Observation

LEVELS = ("formula", "probe")
Judge = Callable[[Observation, int], Judgement]


@dataclass(frozen=True)
class Check:
    """One line of the score board."""

    id: str  # the blank's id, such as "hw3.dqn.targets"; for other checks, one in the same style
    title: str  # what the blank is for, in a few words
    points: int  # what it counts; 0 for parts that were given to students: shown only if they fail
    # Files that must be the student's own, as paths within `cs285`; any other that is missing or
    # broken is taken from the handout.
    owners: tuple[str, ...]
    # A module below `autograder`, see `experiments`; or "module:function", which gets a `Student`
    # and a seed.
    probe: str
    # "module:function" below `autograder`, a `Judge`; empty: the `Question` of its id.
    answer: str = ""
    level: str = "formula"  # one of `LEVELS`
    needs: tuple[str, ...] = ()  # blanks that must be right for this check to mean anything
    seconds: float = 10.0  # most time that the probe may take
    # Blanks whose bodies this check runs together: it may fail them once all have passed.
    parts: tuple[str, ...] = ()
    # Of its mistakes: those that are the same as another check's, which tells them first.
    same: tuple[tuple[str, str], ...] = ()

    @property
    def full_probe(self) -> str:
        """The probe's place, from the top."""
        return f"autograder.{self.probe}"

    @property
    def of_given(self) -> bool:
        """Whether it looks at nothing but what was given out."""
        return self.level == LEVELS[0] and not self.points and not self.parts

    @property
    def _judge(self) -> Judge:
        if not self.answer:
            from autograder.core.question import question  # which imports this module

            return question(self)
        module, _, function = self.answer.partition(":")
        judge: Judge = getattr(importlib.import_module(f"autograder.{module}"), function)
        return judge

    def judge(self, seen: Observation, seed: int) -> Judgement:
        """Judges what the probe saw."""
        try:
            return self._judge(seen, seed)
        except Exception as error:
            what = strange(seen, error)
            if what is None:
                raise  # nothing is odd about the record, so the fault is ours
            return Judgement(unknown=[what])

    def told_once(self, judgement: Judgement, told: Collection[str]) -> Judgement:
        """Leaves out of a judgement what other checks have told of the same submission."""
        again = {mine for mine, its in self.same if its in told}
        return replace(judgement, mistakes=[m for m in judgement.mistakes if m not in again])


def strange(seen: Observation, error: Exception) -> str | None:
    """Says what in a record may have made a judge raise; None if nothing is odd about it."""
    if isinstance(error, KeyError):
        return f"nothing was seen of {error}"
    for trial, found in seen.items():
        for name, array in found.arrays.items():
            if array.dtype == bool and array.shape == (0,):
                return f"{trial}: {name} is not numbers"
            if array.dtype.kind == "f" and not np.all(np.isfinite(array)):
                return f"{trial}: {name} has numbers that are not finite"
    return None


@functools.cache
def read_checks(homework: str) -> list[Check]:
    """Returns a homework's checks, in the order of the score board.

    They are the rows of its `checks.json`, which have the fields of a `Check`. In a row's lists,
    one of `names` stands for all that is listed there, and a list within for a tuple.
    """
    plain = read_data(f"{homework}/checks.json")

    def field(value: Any) -> Any:
        if not isinstance(value, list):
            return value
        parts = [n if isinstance(n, str) else tuple(n) for n in value]
        return tuple(part for name in parts for part in plain["names"].get(name, [name]))

    return [Check(**{key: field(value) for key, value in row.items()}) for row in plain["checks"]]

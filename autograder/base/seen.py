"""What code did: numbers by case and name, and what it raised, for whoever runs or judges it."""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

REL, ABS = 1e-3, 1e-5  # float32 arithmetic in any order of summation stays well below these
MAX_NAMES = 50
MAX_TEXT = 500  # characters of a message that are kept
MODULE = "<module>"  # what Python calls the function of lines outside of all functions
ADDRESS, NUMBER = re.compile("0x[0-9a-f]+"), re.compile(r"\d+")
PROBE = "probe"
"""The case of a probe as a whole: it raises what no other case does."""
MOVED, PIECES = "depends: ", "made of: "
"""How cases are called that say what results depend on, and what they are made of: they describe
what was seen, and decide nothing."""
RAISED = " raised"
"""How the name of a fact about an exception ends, after its case."""
Fact = np.ndarray | str
Choice = tuple[tuple[int, int], ...]
"""The numbers of some mutation points, each with the number of the mutation there."""


@dataclass(frozen=True)
class Crash:
    """An exception that code raised."""

    kind: str  # the exception's class name
    text: str
    # The student's file it came from, within the submission; empty if none of theirs.
    file: str = ""
    line: int = 0
    source: str = ""  # the student's own line
    function: str = ""
    blank: str | None = None  # the id of the blank that was reached, if that is what happened
    names: tuple[str, ...] = ()  # the local variables that had a value there

    @property
    def never_ends(self) -> bool:
        """Whether there would have been no end."""
        return self.kind == "NeverEndsError"

    @property
    def on_import(self) -> bool:
        """Whether it kept the whole file from being imported."""
        return self.function == MODULE


@dataclass(eq=False)
class Seen:
    """What code did.

    What is derived from arrays and crashes is kept, so it is read when all has been seen.

    Attributes:
        arrays: Numbers, by "case/name".
        crashes: What was raised, by case.
        mistakes: The ids of the mistakes that the code makes, where it is ours and rewritten.
        choice: How it was rewritten.
        ended: Why it was ended early, if it was.
        files: The files of the package that it depends on; None if that is not known.
        prints: What it printed, see `prints`; nothing where strangers' code is graded.
    """

    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    crashes: dict[str, Crash] = field(default_factory=dict)
    mistakes: tuple[str, ...] = ()
    choice: Choice = ()
    ended: str = ""
    files: frozenset[str] | None = None
    prints: tuple[Any, ...] = ()

    def known_as(self, mistakes: tuple[str, ...], choice: Choice) -> Seen:
        """Returns the same of code of ours, without its lines: they may be those of a solution."""
        bare = {case: Crash(one.kind, one.text) for case, one in self.crashes.items()}
        raised = {case: one for case, one in bare.items() if case in self.raised}
        return Seen(self.arrays, raised, mistakes, choice)

    def put(self, case: str, arrays: Mapping[str, np.ndarray], crash: Crash | None = None) -> None:
        """Adds what was seen in a case, in the place of what is there."""
        self.drop(case)
        self.arrays |= {f"{case}/{name}": array for name, array in arrays.items()}
        if crash:
            self.crashes[case] = crash

    def drop(self, case: str) -> None:
        """Removes a case."""
        for name in self.of(case):
            del self.arrays[f"{case}/{name}"]
        self.crashes.pop(case, None)

    def of(self, case: str) -> dict[str, np.ndarray]:
        """Returns the numbers of a case, by name."""
        found = {n: array for n, array in self.arrays.items() if n.startswith(f"{case}/")}
        return {name[len(case) + 1 :]: array for name, array in found.items()}

    def within(self, cases: Collection[str]) -> Seen:
        """Returns what was seen in some cases."""
        arrays = {name: array for name, array in self.arrays.items() if case_of(name) in cases}
        return Seen(arrays, {case: crash for case, crash in self.crashes.items() if case in cases})

    @functools.cached_property
    def numbers(self) -> dict[str, np.ndarray]:
        """The arrays that are compared."""
        return {name: array for name, array in self.arrays.items() if not describes(name)}

    @functools.cached_property
    def sensitivity(self) -> dict[str, np.ndarray]:
        """The arrays that describe results, by what they depend on or are made of."""
        return {name: array for name, array in self.arrays.items() if describes(name)}

    @functools.cached_property
    def raised(self) -> dict[str, str]:
        """What is compared of exceptions: kind and text, by case."""
        return {
            case: ADDRESS.sub("#", f"{crash.kind}: {crash.text}")
            for case, crash in self.crashes.items()
            if case != PROBE and not describes(case)
        }

    @functools.cached_property
    def cases(self) -> set[str]:
        """The cases of which anything is compared."""
        return {case_of(name) for name in self.numbers} | set(self.raised)

    @functools.cached_property
    def facts(self) -> dict[str, Fact]:
        """All that is compared, by name; shapes once more, since they tell by themselves."""
        shapes = {f"{name}'s shape": str(array.shape) for name, array in self.numbers.items()}
        raised = {f"{case}{RAISED}": text for case, text in self.raised.items()}
        return {**self.numbers, **shapes, **raised}

    def agrees(self, other: Seen, loosely: bool = False) -> bool:
        """Returns whether the same was seen, up to float32 arithmetic.

        `loosely`: numbers in the texts of exceptions may differ.
        """
        mine, its = self.raised, other.raised
        if loosely:
            mine, its = _without_numbers(mine), _without_numbers(its)
        if mine != its or self.numbers.keys() != other.numbers.keys():
            return False
        return all(close(array, other.numbers[name]) for name, array in self.numbers.items())

    def begins(self, other: Seen) -> bool:
        """Returns whether another one agrees, as far as this one has cases at all."""
        return self.agrees(other.within(self.cases), loosely=True)


def close(a: np.ndarray, b: np.ndarray) -> bool:
    """Returns whether two arrays have the same shape and values, up to float32 arithmetic.

    An infinity equals itself, and nan does: a mistake that leads there is known by it.
    """
    if a.shape != b.shape or a.dtype.kind not in "biuf":
        return False
    return np.allclose(a.astype(np.float64), b.astype(np.float64), REL, ABS, equal_nan=True)


def case_of(fact: str) -> str:
    """Returns the case that a fact was seen in."""
    return fact.partition("/")[0].removesuffix(RAISED)


def describes(name: str) -> bool:
    """Returns whether a case, or an array of it, only describes results."""
    return name.startswith((MOVED, PIECES))


def _without_numbers(raised: Mapping[str, str]) -> dict[str, str]:
    return {case: NUMBER.sub("#", text) for case, text in raised.items()}

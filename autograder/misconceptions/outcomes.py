"""Outcomes: what can be compared of a record, and outcomes as plain values for a file."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from autograder.base.close import close
from autograder.base.record import Record
from autograder.misconceptions.question import Choice
from autograder.running import input_sensitivity, made_of

ADDRESS, NUMBER = re.compile("0x[0-9a-f]+"), re.compile(r"\d+")
DESCRIBES = (input_sensitivity.TRIAL, made_of.TRIAL)
"""How the names of trials begin that describe a record, and decide nothing."""
RAISED = " raised"
"""How the name of a fact about an exception ends, after its trial."""
Fact = np.ndarray | str


class Outcome(NamedTuple):
    """What a probe saw, as far as it can be compared."""

    arrays: Mapping[str, np.ndarray]  # by "trial/array"
    crashes: Mapping[str, str]  # trial -> kind and text of what it raised
    # What depends on what, see `input_sensitivity`, and what results are made of, see `made_of`:
    # described, and never compared; mostly empty of a mistake.
    sensitivity: Mapping[str, np.ndarray]

    def agrees(self, other: Outcome, loosely: bool = False) -> bool:
        """Tells whether two outcomes are the same, up to float32 arithmetic.

        `loosely`: numbers in the texts of exceptions may differ.
        """
        mine, its = self.crashes, other.crashes
        if loosely:
            mine, its = _without_numbers(mine), _without_numbers(its)
        if mine != its or self.arrays.keys() != other.arrays.keys():
            return False
        return all(close(array, other.arrays[name]) for name, array in self.arrays.items())

    def begins(self, other: Outcome) -> bool:
        """Tells whether another outcome agrees, as far as this one has trials at all."""
        return self.agrees(other.of(self.trials), loosely=True)

    def of(self, trials: Collection[str]) -> Outcome:
        """Returns what was seen in some trials."""
        arrays = {n: array for n, array in self.arrays.items() if trial_of(n) in trials}
        crashes = {trial: text for trial, text in self.crashes.items() if trial in trials}
        return Outcome(arrays, crashes, {})

    @property
    def trials(self) -> set[str]:
        """The trials of which anything is known."""
        return {trial_of(name) for name in self.arrays} | set(self.crashes)

    @property
    def facts(self) -> dict[str, Fact]:
        """Everything that is compared, by name; shapes once more, since they tell by themselves."""
        shapes = {f"{name}'s shape": str(array.shape) for name, array in self.arrays.items()}
        crashes = {f"{trial}{RAISED}": text for trial, text in self.crashes.items()}
        return {**self.arrays, **shapes, **crashes}


def trial_of(fact: str) -> str:
    """Returns the trial that a fact was seen in."""
    return fact.partition("/")[0].removesuffix(RAISED)


def _without_numbers(crashes: Mapping[str, str]) -> dict[str, str]:
    return {trial: NUMBER.sub("#", text) for trial, text in crashes.items()}


class Entry(NamedTuple):
    """An outcome, and the mistakes that lead there."""

    misconceptions: tuple[str, ...]
    outcome: Outcome
    choice: Choice = ()


def outcome_of(record: Record) -> Outcome:
    """Returns what can be compared of a record."""
    arrays: dict[str, np.ndarray] = {}
    crashes = {}
    for name, trial in record.items():
        arrays |= {f"{name}/{key}": array for key, array in trial.arrays.items()}
        if trial.crash:
            crashes[name] = ADDRESS.sub("#", f"{trial.crash.kind}: {trial.crash.text}")
    crashes.pop("probe", None)
    return without_sensitivity(arrays, crashes)


def without_sensitivity(arrays: Mapping[str, np.ndarray], crashes: Mapping[str, str]) -> Outcome:
    """Returns an outcome whose sensitivity is apart."""
    compared: dict[str, np.ndarray] = {}
    sensitivity: dict[str, np.ndarray] = {}
    for name, array in arrays.items():
        (sensitivity if name.startswith(DESCRIBES) else compared)[name] = array
    raised = {trial: text for trial, text in crashes.items() if not trial.startswith(DESCRIBES)}
    return Outcome(compared, raised, sensitivity)


def unpacked(kept: Iterable[Any], arrays: list[Any]) -> list[Entry]:
    """Returns entries as they were before `Packer.pack`."""

    @functools.cache  # what many entries share is one array
    def array(place: int) -> np.ndarray:
        shape, values = arrays[place]
        return np.asarray(values).reshape([int(size) for size in shape])

    return [
        Entry(
            tuple(misconceptions),
            without_sensitivity({name: array(at) for name, at in places.items()}, crashes),
            tuple((s, w) for s, w in choice),
        )
        for misconceptions, crashes, places, choice in kept
    ]


class Packer:
    """Entries as plain values; an array that comes again is kept once."""

    def __init__(self) -> None:
        """Begins empty."""
        self.arrays: list[Any] = []
        self.places: dict[str, int] = {}

    def pack(self, entry: Entry) -> list[Any]:
        """Returns an entry's mistakes, crashes, and the place of each array in `arrays`."""
        arrays = {**entry.outcome.arrays, **entry.outcome.sensitivity}
        places = {name: self._place(array) for name, array in arrays.items()}
        return [list(entry.misconceptions), dict(entry.outcome.crashes), places, entry.choice]

    def _place(self, array: np.ndarray) -> int:
        values = [float(f"{value:.6g}") for value in array.astype(np.float64).ravel()]
        plain = [list(array.shape), values]
        key = json.dumps(plain)
        if key not in self.places:
            self.places[key] = len(self.arrays)
            self.arrays.append(plain)
        return self.places[key]

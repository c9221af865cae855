"""What a probe saw, as far as it can be compared, beside the mistakes that lead there."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from autograder.core.fingerprint import TRIAL
from autograder.core.question import Choice
from autograder.numbers import close
from autograder.probing import Observation

ADDRESS, NUMBER = re.compile("0x[0-9a-f]+"), re.compile(r"\d+")
Fact = np.ndarray | str


class Outcome(NamedTuple):
    """What a probe saw, as far as it can be compared."""

    arrays: Mapping[str, np.ndarray]  # by "trial/array"
    crashes: Mapping[str, str]  # trial -> kind and text of what it raised
    # What depends on what, see `fingerprint`: told, and never compared; empty of a mistake.
    fingerprint: Mapping[str, np.ndarray]

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

    @property
    def trials(self) -> set[str]:
        """The trials of which anything is known."""
        return {name.partition("/")[0] for name in self.arrays} | set(self.crashes)

    @property
    def facts(self) -> dict[str, Fact]:
        """Everything that is compared, by name; shapes once more, since they tell by themselves."""
        shapes = {f"{name}'s shape": str(array.shape) for name, array in self.arrays.items()}
        crashes = {f"{trial} raised": text for trial, text in self.crashes.items()}
        return {**self.arrays, **shapes, **crashes}


def _without_numbers(crashes: Mapping[str, str]) -> dict[str, str]:
    return {trial: NUMBER.sub("#", text) for trial, text in crashes.items()}


class Entry(NamedTuple):
    """An outcome, and the mistakes that lead there."""

    mistakes: tuple[str, ...]
    outcome: Outcome
    choice: Choice = ()


def outcome_of(seen: Observation) -> Outcome:
    """Returns what can be compared of a record."""
    arrays: dict[str, np.ndarray] = {}
    crashes = {}
    for name, trial in seen.items():
        arrays |= {f"{name}/{key}": array for key, array in trial.arrays.items()}
        if trial.crash:
            crashes[name] = ADDRESS.sub("#", f"{trial.crash.kind}: {trial.crash.text}")
    crashes.pop("probe", None)
    return without_fingerprint(arrays, crashes)


def without_fingerprint(arrays: Mapping[str, np.ndarray], crashes: Mapping[str, str]) -> Outcome:
    """Returns an outcome whose fingerprint is apart."""
    compared: dict[str, np.ndarray] = {}
    fingerprint: dict[str, np.ndarray] = {}
    for name, array in arrays.items():
        (fingerprint if name.startswith(TRIAL) else compared)[name] = array
    raised = {trial: text for trial, text in crashes.items() if not trial.startswith(TRIAL)}
    return Outcome(compared, raised, fingerprint)


def unpacked(kept: Iterable[Any], arrays: list[Any]) -> list[Entry]:
    """Returns entries as they were before `Packer.pack`."""

    @functools.cache  # what many entries share is one array
    def array(place: int) -> np.ndarray:
        shape, values = arrays[place]
        return np.asarray(values).reshape([int(size) for size in shape])

    return [
        Entry(
            tuple(mistakes),
            without_fingerprint({name: array(at) for name, at in places.items()}, crashes),
            tuple((s, w) for s, w in choice),
        )
        for mistakes, crashes, places, choice in kept
    ]

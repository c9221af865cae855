"""Findings: an illness that was recognised, its words, and the numbers that speak for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from autograder.base.files import read_data
from autograder.diagnose.record import RunRecord

Sure = Literal["certain", "likely", "possible"]


@dataclass(frozen=True)
class Words:
    """The words about an illness, for a student."""

    title: str  # what is wrong, in one line
    look: str  # what to look at next
    source: str = ""  # where to read; empty where that is the handout
    # Illnesses that follow from it; where both are found, this one comes before them.
    brings: Sequence[str] = ()


ILLNESSES: Mapping[str, Words] = {
    name: Words(**plain) for name, plain in read_data("diagnose/illnesses.json").items()
}
"""Illnesses by name, causes before what they bring about."""


@dataclass(frozen=True)
class Evidence:
    """A number that speaks for an illness."""

    name: str  # a column of the log, a setting or a network
    message: str  # the observation there
    # The column's finite numbers, for a plot; empty where it is none.
    values: tuple[float, ...] = ()


@dataclass(frozen=True)
class Finding:
    """An illness that was recognised."""

    name: str  # key of `ILLNESSES`
    sure: Sure  # how sure that is
    evidence: tuple[Evidence, ...]  # what speaks for it
    after: str = ""  # the finding that may have brought it about; empty if none

    @property
    def words(self) -> Words:
        """The words about it, for a student."""
        return ILLNESSES[self.name]


Evidences = Iterator[tuple[Sure, list[Evidence]]]
"""How sure it is, and what speaks for it; of several the first."""


def of_column(record: RunRecord, name: str, message: str = "") -> Evidence:
    """Returns a column as evidence: where it begins and ends, and what is said of it."""
    values = record.column(name)
    if not len(values):
        return Evidence(name, message or "no number")
    ends = f"{values[0] + 0.0:.4g} -> {values[-1] + 0.0:.4g}"  # + 0.0: never -0
    return Evidence(name, f"{ends}; {message}" if message else ends, tuple(map(float, values)))


def of_setting(record: RunRecord, name: str, message: str) -> Evidence:
    """Returns a setting as evidence."""
    return Evidence(name, f"{record.run.settings.get(name)}; {message}")


def returns(record: RunRecord) -> Evidence:
    """Returns the learning curve."""
    return of_column(record, "Train_AverageReturn")

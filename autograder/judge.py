"""What the judge says of a record: verdicts, differences in words, and names for exceptions."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from autograder.crashes import Crash
from autograder.files import read_data
from autograder.numbers import ABS, REL
from autograder.probing import Observation


@dataclass
class Judgement:
    """What the judge has to say about one check."""

    # Ids of named mistakes; with `unknown` empty as well, the check is passed.
    mistakes: list[str] = field(default_factory=list)
    # What is wrong beyond the named mistakes, and has no name.
    unknown: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # worth saying, and no fault
    blank: bool = False  # the blank is not filled
    # Of a check with parts: what is wrong, by the part that it is because of; "" if none is.
    blamed: dict[str, Judgement] = field(default_factory=dict)

    def name(self, *ids: str) -> None:
        """Adds mistakes, each once."""
        self.mistakes += [i for i in dict.fromkeys(ids) if i not in self.mistakes]

    @property
    def passed(self) -> bool:
        """Whether there is nothing to complain about."""
        return not (self.mistakes or self.unknown or self.blank)


CRASHES = read_data("general_crashes.json")
"""Kinds of exceptions, what their text matches, and the mistake behind them: the first that fits.

`own_line`: only where a line of the student's raised it, since it may be the grader's else.
"""
EMPTY = "name 'TODO' is not defined"  # what a blank of an older handout says


def left_empty(seen: Observation, blank: str) -> bool:
    """Tells whether a blank is empty: it says so, or an older handout's last line misses `loss`.

    That line is no proof if anything else was done: a gradient was asked for.
    """
    for trial in seen.values():
        if trial.crash and trial.crash.blank == blank:
            return True
        missing = trial.crash and "name 'loss' is not defined" in trial.crash.text
        if missing and trial.arrays.get("no_backward"):
            return True
    return False


def judge_crash(crash: Crash, known: str | None, verdict: Judgement) -> Judgement:
    """Names the mistake behind an exception: `known`, or what stands behind any of its kind.

    Or says that the blank is empty, in the words of an older handout.
    """
    if crash.kind == "NameError" and EMPTY in crash.text:
        verdict.blank = True
        return verdict
    mistake = known
    for row in CRASHES:
        fits = crash.kind in row["kinds"] and re.search(row.get("text", ""), crash.text)
        if mistake is None and fits and (crash.file or not row.get("own_line")):
            mistake = row["mistake"]
    if mistake:
        verdict.name(mistake)
        verdict.notes.append(tell(crash))
    else:
        verdict.unknown.append(tell(crash))
    return verdict


def tell(crash: Crash) -> str:
    """Says what was raised, and on which of the student's lines."""
    where = f' at {crash.file}:{crash.line}: "{crash.source}"' if crash.file else ""
    return f"{crash.kind}: {crash.text}{where}"


def difference(name: str, observed: np.ndarray, expected: np.ndarray) -> str:
    """Says what is first wrong with an array, for a mistake that has no name.

    Shape, then numbers that are not finite, then the first element that differs.
    """
    if observed.dtype.kind not in "biuf":
        return f"{name}: not numbers"
    if observed.shape != expected.shape:
        return f"{name}: shape {observed.shape}, expected {expected.shape}"
    if not np.all(np.isfinite(observed)):
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(observed))[0])
        return f"{name}{list(where)} is {observed[where]}, not a finite number"
    bad = ~np.isclose(observed, expected, REL, ABS)
    if not bad.any():
        return f"{name} agrees"
    where = tuple(int(i) for i in np.argwhere(bad)[0])
    if not where:
        return f"{name} is {observed[where]:.5g}, expected {expected[where]:.5g}"
    return (
        f"{name}{list(where)} is {observed[where]:.5g}, expected {expected[where]:.5g} "
        f"({int(bad.sum())} of {bad.size} differ; {observed.dtype})"
    )

"""Whether a probe's record is whole: the evidence that every right form leaves.

A judge looks for what is wrong. So a record in which something is missing must never pass, whatever
the reason: an exception that says another blank is empty, a trial that was kept from running, a
message that was made up. What every right form's record has stands in `records.json` of a homework:
names, kinds and numbers of axes, and no values. `tests/autograder/records.py` makes it.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path

import numpy as np

from autograder.judge import tell
from autograder.probing import Observation

FILE = "records.json"
Kinds = dict[str, dict[str, list[str]]]
"""Trial -> array -> the kinds that it may be of, see `kind_of`."""
CRASH = "may crash"
"""Stands among a trial's arrays if the trial may end early even where all is right."""


def kind_of(array: np.ndarray) -> str:
    """Returns what can be said about an array without its values: "f2", and "f1-" if empty."""
    return f"{array.dtype.kind}{array.ndim}{'' if array.size else '-'}"


@functools.cache
def needed(homework: str) -> dict[str, Kinds]:
    """Returns what the record of each check must have, by the check's id."""
    file = Path(__file__).parent / homework / FILE
    found: dict[str, Kinds] = json.loads(file.read_text(encoding="utf-8"))
    return found


def missing(check: str, seen: Observation) -> str | None:
    """Says what a record lacks that every right form's record has; None if nothing.

    Where a trial runs with our neighbour of a blank, another with the student's own, one is enough.
    """
    for trial, arrays in _needed_by(check).items():
        what = _lacks(trial, arrays, seen)
        if what and all(_lacks(rival, arrays, seen) for rival in _rivals(trial)):
            return what
    return None


def _rivals(trial: str) -> list[str]:
    """Returns the trials that are as good as one that runs with our neighbour of a blank."""
    kind, ours, _ = trial.partition("_ours")
    ways = ("own", "components", "own_tensor", "ours_tensor") if ours else ()
    return [f"own_{trial}", *(f"{kind}_{way}" for way in ways)]


def _lacks(trial: str, arrays: dict[str, list[str]], seen: Observation) -> str | None:
    """Says what a trial lacks of the arrays that it must have."""
    if trial not in seen:
        return f"nothing is known of the experiment {trial!r}"
    crash = seen[trial].crash
    if crash:
        return None if CRASH in arrays else f"{trial}: {tell(crash)}"
    for name, kinds in arrays.items():
        array = seen[trial].arrays.get(name)
        empty = array is None or (not array.size and not any(k.endswith("-") for k in kinds))
        if empty and name != CRASH:
            return f"{trial}: nothing was seen of {name}"
    return None


def malformed(check: str, seen: Observation) -> str | None:
    """Says which array of a record is unlike those of all right forms; None if none is."""
    for trial, arrays in _needed_by(check).items():
        for name, kinds in arrays.items():
            array = seen[trial].arrays.get(name)
            if array is not None and kind_of(array) not in kinds:
                return f"{trial}: {name} is an array of shape {array.shape}, {array.dtype}"
    return None


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


def _needed_by(check: str) -> Kinds:
    return needed(check.split(".")[0]).get(check, {})

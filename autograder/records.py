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
Kinds = dict[str, dict[str, list[str]] | None]
"""Trial -> array -> the kinds that it may be of, see `kind_of`; None if the trial may crash."""


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
    """Says what a record lacks that every right form's record has; None if nothing."""
    for trial, arrays in _needed_by(check).items():
        if trial not in seen:
            return f"nothing is known of the experiment {trial!r}"
        if arrays is None:
            continue
        crash = seen[trial].crash
        if crash:
            return f"{trial}: {tell(crash)}"
        for name, kinds in arrays.items():
            array = seen[trial].arrays.get(name)
            if array is None or (not array.size and not any(k.endswith("-") for k in kinds)):
                return f"{trial}: nothing was seen of {name}"
    return None


def malformed(check: str, seen: Observation) -> str | None:
    """Says which array of a record is unlike those of all right forms; None if none is."""
    for trial, arrays in _needed_by(check).items():
        for name, kinds in (arrays or {}).items():
            array = seen[trial].arrays[name]
            if kind_of(array) not in kinds:
                return f"{trial}: {name} is an array of shape {array.shape}, {array.dtype}"
    return None


def _needed_by(check: str) -> Kinds:
    return needed(check.split(".")[0]).get(check, {})

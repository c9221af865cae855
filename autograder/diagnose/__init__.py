"""Why a run does not learn: findings from its log, its settings and its weights together."""

from __future__ import annotations

import itertools

import numpy as np

from autograder.diagnose import illnesses, settings, values
from autograder.diagnose.findings import ILLNESSES, Finding
from autograder.diagnose.record import RunRecord, read_record

__all__ = ["RunRecord", "examine", "read_record"]

PLACES = (settings, illnesses, values)


def examine(record: RunRecord) -> list[Finding]:
    """Returns the findings, causes before what they bring about."""
    found: list[Finding] = []
    if record.waits:
        return found
    with np.errstate(all="ignore"):
        for name in ILLNESSES:
            check = next(vars(place)[name] for place in PLACES if name in vars(place))
            for sure, evidence in itertools.islice(check(record), 1):
                cause = next((f.name for f in found if name in f.words.brings), "")
                found.append(Finding(name, sure, tuple(evidence), cause))
    return found

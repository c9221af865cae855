"""Why a run does not learn: findings from its log, its settings and its weights together."""

from __future__ import annotations

import itertools

import numpy as np

from autograder.diagnose import illnesses, settings
from autograder.diagnose.findings import ILLNESSES, Finding
from autograder.diagnose.record import RunRecord, read_record

__all__ = ["RunRecord", "examine", "read_record"]


def examine(record: RunRecord) -> list[Finding]:
    """Returns the findings, causes before what they bring about."""
    found: list[Finding] = []
    with np.errstate(all="ignore"):
        for name in ILLNESSES:
            check = getattr(illnesses, name, None) or getattr(settings, name)
            for sure, evidence in itertools.islice(check(record), 1):
                cause = next((f.name for f in found if name in f.words.brings), "")
                found.append(Finding(name, sure, tuple(evidence), cause))
    return found

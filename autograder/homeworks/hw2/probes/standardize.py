"""Asks for standardised advantages: their mean, their deviation, and whether they keep their order.

A deviation may be that of a population or of a sample.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from autograder.homeworks.hw2.fakes import pg
from autograder.running.experiments import note_row
from autograder.running.probing import Student, plain_array


def cases(seed: int) -> Mapping[str, np.ndarray]:
    """Returns what is tried: advantages of many sizes, far from 0 or around it, and equal ones."""
    usual = pg.steps(seed, 0.8).q_n
    return {
        "usual": usual,
        "far below 0": 3 * usual - 700,
        "large": 300 * usual,
        "small": 0.03 * usual,
        "around 0": 2 * (usual - usual.mean()) + 0.5,
        "eight steps": usual[:8],
        "256 steps": np.resize(usual, 256),
        "all equal": np.full(8, 7.25),
    }


def observe(student: Student, case: np.ndarray) -> dict[str, Any]:
    """Returns what became of the advantages, and of others that come in the same array."""
    standardize, adv_n = student.module("agents.pg_agent").standardize, case.copy()
    for before in (case, 1 - 2 * case[::-1]):
        adv_n[:] = before
        after = plain_array(standardize(adv_n))
        numbers, size = pg.spread(after)
        row: dict[str, Any] = {"the deviation of the advantages, roughly": size}
        if before.std() and numbers.std():
            row["the mean of the advantages"] = numbers.mean()
            row["the largest advantage, in deviations"] = numbers.max()
            row["the correlation with what was standardised"] = np.corrcoef(before, after)[0, 1]
        else:
            row["the standardised advantages"] = numbers
        note_row(student, row)
    return {}

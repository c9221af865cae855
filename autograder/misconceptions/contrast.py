"""Where a wrong record agrees with ours, and where not: by rows, and by the size of numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from autograder.base.seen import ABS, REL
from autograder.misconceptions.phrases import noun_of

FAR = 3.0  # times as large: then the size of numbers may be the reason
Arrays = Mapping[str, np.ndarray]
"""By "trial/quantity"."""


def exactly_where(name: str, yours: Arrays, right: Arrays) -> str:
    """Returns in which rows an array is wrong, if another one of its trial marks exactly those.

    "exactly where `done` is 1" says more than a number of rows.
    """
    actual, expected = yours[name], right[name]
    if actual.shape != expected.shape or actual.ndim < 1 or len(actual) < 2:
        return ""
    bad = ~np.isclose(actual, expected, REL, ABS).reshape(len(actual), -1).all(1)
    trial, _, quantity = name.partition("/")
    for other, marks in right.items():
        its_trial, _, its_name = other.partition("/")
        if its_trial != trial or its_name == quantity or marks.shape != bad.shape:
            continue
        if not np.isin(marks, (0, 1)).all() or not 0 < marks.sum() < marks.size:
            continue
        for value in (1, 0):
            if np.array_equal(bad, marks == value):
                return f", wrong exactly where {noun_of(its_name)} is {value}"
    return ""


def sizes(
    quantity: str, wrong_in: Sequence[str], right_in: Sequence[str], right: Arrays
) -> tuple[str, str] | None:
    """Returns how large numbers are where all is right, and where it is not, if that differs much.

    Args:
        quantity: The array that is described.
        wrong_in: Trials that are wrong.
        right_in: Trials that are right.
        right: What is expected.
    """

    def largest(trials: Sequence[str]) -> list[float]:
        arrays = [
            right[f"{trial}/{quantity}"] for trial in trials if f"{trial}/{quantity}" in right
        ]
        return [float(np.abs(array).max()) for array in arrays if array.size]

    wrong, agreeing = largest(wrong_in), largest(right_in)
    if not wrong or not agreeing or min(wrong) < FAR * max(agreeing):
        return None
    return f"{max(agreeing):.2g}", f"{min(wrong):.2g}"

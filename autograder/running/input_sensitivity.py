"""Notes what a student's function depends on: one input is moved at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

SMALL = 1e-4  # times the result's largest entry: a smaller move counts as none
NOTHING = "nothing"  # is moved: what changes all the same is drawn at random
AGAIN = " in another draw"
"""How an input is called that is moved once more, with other numbers and the other way."""
Case = TypeVar("Case")


def note(
    record: dict[str, Any],
    result: Callable[[Case], Any],
    case: Case,
    moves: Mapping[str, Case],
    where: str = "",
) -> None:
    """Notes how far each row of a result rises or falls, 0 if it stays, by what was moved.

    Args:
        record: Where it is noted.
        result: Returns the rows of a case. Shape (n,).
        case: The usual one.
        moves: Name of an input, in code -> the case with this input moved, mostly in one row.
        where: What is special about the case, as the end of a sentence.
    """
    usual = np.asarray(result(case), np.float64)
    least = SMALL * np.abs(usual).max(initial=1e-3)
    moved_by = {f"{what}{where}": moved for what, moved in moves.items()}
    for what, moved in {NOTHING: case, **moved_by}.items():
        now = np.asarray(result(moved), np.float64)
        if now.shape == usual.shape:  # else nothing is noted, which is no right record
            change = now - usual
            record[what] = np.where(np.abs(change) > least, change, 0.0).astype(np.float32)

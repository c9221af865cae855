"""What a student's function depends on: true of it, whether or not anybody has seen its mistake.

A probe moves one input at a time, and notes which rows of the result rise or fall with it. Where
a mistake has no name, the judge tells how this differs from the solution's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import numpy as np

TRIAL = "depends: "
"""A trial is called so, and by what the result is, in the plural; its arrays by what was moved."""
SMALL = 1e-4  # times the result's largest entry: what moves by less stands still
MOST = 2  # sentences
NOTHING = "nothing"  # is moved: what changes all the same is drawn at random

Case = TypeVar("Case")


def note(
    seen: dict[str, Any],
    result: Callable[[Case], Any],
    case: Case,
    moves: Mapping[str, Case],
) -> None:
    """Notes 1, -1 or 0 for each row of a result that rises, falls or stands, by what was moved.

    Args:
        seen: Where it is noted.
        result: Returns the rows of a case. Shape (n,).
        case: The usual one.
        moves: Name of an input, in code -> the case with this input moved, mostly in one row.
    """
    usual = np.asarray(result(case), np.float64)
    least = SMALL * np.abs(usual).max(initial=1e-3)
    for what, moved in {NOTHING: case, **moves}.items():
        now = np.asarray(result(moved), np.float64)
        if now.shape == usual.shape:  # else nothing is noted, which is no right record
            change = now - usual
            seen[what] = np.where(np.abs(change) > least, np.sign(change), 0).astype(np.int8)


def told(seen: Mapping[str, np.ndarray], expected: Mapping[str, np.ndarray]) -> list[str]:
    """Says how a student's dependences differ from the right ones; both by "trial/input"."""
    found = [line for name in expected for line in _about(name, seen, expected)]
    return found[:1] if "asked again" in "".join(found[:1]) else found[:MOST]


def _about(
    name: str, seen: Mapping[str, np.ndarray], expected: Mapping[str, np.ndarray]
) -> Iterator[str]:
    trial, _, what = name.partition("/")
    yours, right = seen.get(name), expected[name]
    if not trial.startswith(TRIAL) or yours is None or yours.shape != right.shape:
        return
    if np.array_equal(yours, right):
        return
    rows, (name, blank, where) = trial.removeprefix(TRIAL), what.partition(" ")
    what = f"`{name}`{blank}{where}"
    (others,) = np.nonzero((yours != 0) & (right == 0))
    if name == NOTHING:
        yield f"your {rows} differ when asked again with the same input: what is random in them?"
    elif not yours.any() and right.any():
        yield f"your {rows} do not change when {what} does; they should"
    elif yours.any() and not right.any():
        yield f"your {rows} change when {what} does; they should not"
    elif np.array_equal(yours, -right):
        yield f"your {rows} move the wrong way when {what} does"
    elif others.size:
        yield f"row {others[0]} of your {rows} changes with {what}; only others should"
    else:
        row = int(np.flatnonzero(yours != right)[0])
        yield f"row {row} of your {rows} does not change with {what} as it should"

"""What a student's function depends on: true of it, whether or not anybody has seen its mistake.

A probe moves one input at a time, and notes which rows of the result rise or fall with it. Where
a mistake has no name, the judge tells how this differs from the solution's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import numpy as np

from autograder.numbers import close

TRIAL = "depends: "
"""A trial is called so, and by what the result is, in the plural; its arrays by what was moved."""
SMALL = 1e-4  # times the result's largest entry: what moves by less stands still
ALIKE = 0.01  # how much factors may differ that are one
MOST = 2  # sentences
NOTHING = "nothing"  # is moved: what changes all the same is drawn at random

Case = TypeVar("Case")


def note(
    seen: dict[str, Any],
    result: Callable[[Case], Any],
    case: Case,
    moves: Mapping[str, Case],
    where: str = "",
) -> None:
    """Notes how far each row of a result rises or falls, 0 if it stands, by what was moved.

    Args:
        seen: Where it is noted.
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
            seen[what] = np.where(np.abs(change) > least, change, 0.0).astype(np.float32)


def told(seen: Mapping[str, np.ndarray], expected: Mapping[str, np.ndarray]) -> list[str]:
    """Says how a student's dependences differ from the right ones; both by "trial/input"."""
    usual = _usual_factors(seen, expected)
    found = [line for name in expected for line in _about(name, seen, expected, usual)]
    return found[:1] if "asked again" in "".join(found[:1]) else found[:MOST]


def _usual_factors(
    seen: Mapping[str, np.ndarray], expected: Mapping[str, np.ndarray]
) -> dict[str, float]:
    """Returns how many times as far as they should a trial's results move, mostly, by trial.

    The scale of a loss is nobody's mistake: one input that counts more than others may be.
    """
    found: dict[str, list[float]] = {}
    for name, right in expected.items():
        factor = _factor(seen.get(name, np.empty(0)), right)
        if factor:
            found.setdefault(name.partition("/")[0], []).append(factor)
    return {trial: float(np.median(factors)) for trial, factors in found.items()}


def _factor(yours: np.ndarray, right: np.ndarray) -> float:
    """Returns the one positive factor between two results' moves; 0 if there is none."""
    if yours.shape != right.shape or not np.array_equal(yours != 0, right != 0):
        return 0.0
    times = yours[right != 0] / right[right != 0]
    return float(times.mean()) if times.size and np.ptp(times) < ALIKE * times.min() else 0.0


def _about(
    name: str,
    seen: Mapping[str, np.ndarray],
    expected: Mapping[str, np.ndarray],
    usual: Mapping[str, float],
) -> Iterator[str]:
    trial, _, what = name.partition("/")
    yours, right = seen.get(name), expected[name]
    if not trial.startswith(TRIAL) or yours is None or yours.shape != right.shape:
        return
    if close(yours, right):
        return
    rows, (name, blank, where) = trial.removeprefix(TRIAL), what.partition(" ")
    what = f"`{name}`{blank}{where}"
    if name == NOTHING:
        yield f"your {rows} differ when asked again with the same input: what is random in them?"
    elif not yours.any() and right.any():
        yield f"your {rows} do not change when {what} does; they should"
    elif yours.any() and not right.any():
        yield f"your {rows} change when {what} does; they should not"
    else:
        times = _factor(yours, right) / usual.get(trial, 1.0)
        yield from _about_rows(yours, right, rows, what, times)


def _about_rows(
    yours: np.ndarray, right: np.ndarray, rows: str, what: str, times: float
) -> Iterator[str]:
    up, (others,) = np.sign(right), np.nonzero((yours != 0) & (right == 0))
    if np.array_equal(np.sign(yours), -up):
        yield f"your {rows} move the wrong way when {what} does"
    elif others.size:
        yield f"row {others[0]} of your {rows} changes with {what}; only others should"
    elif (strange := np.flatnonzero(np.sign(yours) != up)).size:
        yield f"row {strange[0]} of your {rows} does not change with {what} as it should"
    elif times and abs(times - 1) > ALIKE:
        yield f"your {rows} move {times:.3g} times as far with {what} as they should"

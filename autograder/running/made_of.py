"""Notes what a student's results may be made of: plain pieces, such as reward and discount.

A probe yields `Parts` from its function `parts`. Whoever judges looks for the pieces in the
results, which have the form

    reward + discount * mask * value - baseline

A piece that is not among the parts is 0, or 1 where it is a factor. Here nobody knows which pieces
are right: that is seen in our own solution's results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.running.probing import plain_array

YOURS, CASE = "yours", "case"
"""Arrays of the trial: the results, and the number of the case that each row belongs to."""
BETWEEN = " | "
"""Stands between the place of a piece and its words, in the name of its array."""
PLACES = ("reward", "discount", "mask", "value", "baseline")
Pieces = Mapping[str, Mapping[str, Any]]
"""Place in the form -> words for a piece -> its numbers, one for each row or one for all."""


@dataclass(frozen=True)
class Parts:
    """Results, and what they may be made of.

    Attributes:
        results: What they are called in a sentence, in the plural.
        cases: Some cases; what holds is true in all of them. Values have both signs, and lie
            beyond whatever anybody clips to.
        rows: Takes the student and a case, and returns the results. Shape (n,).
        pieces: Returns the pieces of a case, by their place.
        scale: Whether the results are known only up to one positive factor.
    """

    results: str
    cases: Iterable[Any]
    rows: Callable[[Any, Any], Any]
    pieces: Callable[[Any], Pieces]
    scale: bool = False


def note(record: dict[str, Any], student: Any, parts: Parts) -> None:
    """Notes the results and the pieces of all cases, one after the other.

    Each case is asked twice: nothing is noted of results that are drawn at random, or kept.
    """
    found: dict[str, list[np.ndarray]] = {}
    for number, case in enumerate(parts.cases):
        yours, again = (plain_array(parts.rows(student, case)).astype(np.float64) for _ in range(2))
        row: dict[str, Any] = {YOURS: yours, CASE: number}
        for place, pieces in parts.pieces(case).items():
            row |= {f"{place}{BETWEEN}{words}": numbers for words, numbers in pieces.items()}
        sizes = {np.size(numbers) for numbers in row.values()} - {1}
        if yours.ndim != 1 or not sizes <= {yours.size} or not np.isfinite(yours).all():
            return
        if not np.array_equal(yours, again):
            return
        for name, numbers in row.items():
            found.setdefault(name, []).append(np.broadcast_to(numbers, yours.shape))
    record.update({name: np.concatenate(arrays) for name, arrays in found.items()})
    record["scale"] = np.asarray(parts.scale)


def bellman(
    reward: np.ndarray,
    discount: float,
    terminal: np.ndarray,
    values: Mapping[str, np.ndarray],
    names: tuple[str, str, str] = ("re_n", "self.gamma", "terminal_n"),
    baselines: Mapping[str, np.ndarray] | None = None,
) -> Pieces:
    """Returns the pieces of one-step targets, or of advantages.

    Args:
        reward: Of each row.
        discount: The setting.
        terminal: 1 where an episode ended.
        values: What the future may be valued by, in words.
        names: How reward, discount and terminal flags are written in the student's code.
        baselines: What may be subtracted; `values` if None.
    """
    re_n, gamma, end = (f"`{name}`" for name in names)
    return {
        "reward": {re_n: reward},
        "discount": {gamma: discount},
        "mask": {f"1 - {end}": 1 - terminal, end: terminal},
        "value": dict(values),
        "baseline": dict(values if baselines is None else baselines),
    }

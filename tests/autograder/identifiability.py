"""Shows that no two outcomes of a probe can be taken for each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from autograder.judge import Choice, Factor, choices, mistakes_in

PUBLIC = [*range(5)]
FEW = [*PUBLIC, *range(1000, 1015)]
ALL = [*PUBLIC, *range(10_000, 10_200)]  # 200 fresh ones
MARGIN = 5e-3  # the judge takes directions for equal that differ by less than 1e-3

Vector = Callable[[Choice], np.ndarray]


def unit(change: np.ndarray) -> np.ndarray:
    """Scales to length 1, as a loss of any scale would leave it."""
    size = float(np.linalg.norm(change))
    return np.asarray(change / size if size > 1e-9 else change * 0).reshape(-1)


def look_alikes(
    factors: Sequence[Factor], vector: Vector, margin: float = MARGIN
) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Yields pairs of different sets of at most two mistakes whose outcomes are too close."""
    wanted = [(frozenset(mistakes_in(c, factors)), vector(c)) for c in choices(factors, most=2)]
    table = np.stack([v for _, v in wanted])
    squares = (table**2).sum(1)
    distance2 = squares[:, None] + squares[None, :] - 2 * table @ table.T
    close = np.argwhere(np.triu(distance2 < margin**2, 1))
    for i, j in close:
        if wanted[i][0] != wanted[j][0]:
            yield wanted[i][0], wanted[j][0]


def unexplained(
    factors: Sequence[Factor],
    vector: Vector,
    hiding: set[str],
    same: Sequence[set[frozenset[str]]] = (),
    margin: float = MARGIN,
) -> list[tuple[frozenset[str], frozenset[str]]]:
    """Returns the look-alikes that have no reason.

    Args:
        factors: As of `explain`.
        vector: The outcome of a combination.
        hiding: Mistakes beside which another one may have no effect.
        same: Sets of mistakes that mean the same, written otherwise.
        margin: The least distance of outcomes that can be told apart.
    """
    return [
        (a, b)
        for a, b in look_alikes(factors, vector, margin)
        if not (a & b & hiding or any({a, b} <= equal for equal in same))
    ]

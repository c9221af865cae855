"""Where a choice turns: the largest number for which something is true."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

HALVINGS = 16  # leave 0.02 % of a number


def turn(holds: Callable[[float], bool]) -> float:
    """Returns the number from 0.001 to 1000 up to which something holds; 0 if it never does."""
    low, high = np.log(0.001), np.log(1000.0)
    if not holds(0.001):
        return 0.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(float(np.exp(middle))) else (low, middle)
    return float(np.exp(low))

"""When two arrays are the same, up to float32 arithmetic."""

from __future__ import annotations

import numpy as np

REL, ABS = 1e-3, 1e-5  # float32 arithmetic in any order of summation stays well below these


def close(a: np.ndarray, b: np.ndarray) -> bool:
    """Returns whether two arrays have the same shape and values, up to float32 arithmetic.

    An infinity equals itself, and nan does: a mistake that leads there is known by it.
    """
    if a.shape != b.shape or a.dtype.kind not in "biuf":
        return False
    return np.allclose(a.astype(np.float64), b.astype(np.float64), REL, ABS, equal_nan=True)

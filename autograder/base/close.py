"""When two arrays are the same, up to float32 arithmetic."""

from __future__ import annotations

import numpy as np

REL, ABS = 1e-3, 1e-5  # float32 arithmetic in any order of summation stays well below these


def close(a: np.ndarray, b: np.ndarray) -> bool:
    """Returns whether two arrays have the same shape and values, up to float32 arithmetic."""
    if a.shape != b.shape or a.dtype.kind not in "biuf":
        return False
    a, b = a.astype(np.float64), b.astype(np.float64)
    return bool(np.all(np.isfinite(a)) and np.allclose(a, b, REL, ABS))

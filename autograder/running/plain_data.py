"""What counts as data of a student's: plain arrays, tensors and numbers."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

MOST_DIMENSIONS = 8


def is_plain(value: Any, deep: int = MOST_DIMENSIONS) -> bool:
    """Returns whether a value is numbers: an array, a tensor, a number, or lists of such.

    Nothing else counts, though NumPy might make an array of it: an object can do so when it is
    looked at, out of whatever it finds around it then.
    """
    kind = type(value)
    if kind in (bool, int, float, np.ndarray) or kind in tensor_types():
        return True
    if kind in (list, tuple):
        return deep > 0 and all(is_plain(one, deep - 1) for one in value)
    return kind.__module__ == "numpy" and isinstance(value, np.generic)


def tensor_types() -> tuple[type, ...]:
    """Returns PyTorch's own tensors; none where it is not loaded."""
    torch = sys.modules.get("torch")
    return (torch.Tensor, torch.nn.Parameter) if torch else ()

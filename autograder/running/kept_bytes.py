"""How much objects keep from call to call, beside networks and a memory of transitions."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable, Mapping
from types import FunctionType
from typing import Any

import numpy as np
import torch

DEEPEST = 6  # containers within containers
MOST = 20_000  # things that are looked at
LINK = 1000  # bytes of a function that calls another one: a chain of them ends all recursion
CONTAINERS = (list, tuple, set, frozenset, deque)


def kept_bytes(objects: Iterable[Any]) -> int:
    """Returns the size of what the attributes of some objects hold: numbers, arrays, containers.

    Other objects count nothing, so neither does a replay buffer or an environment. Who keeps so
    many things that not all are looked at keeps enough of them.
    """
    visited, total = set[int](), 0
    waiting = [(value, 0) for one in objects for value in vars(one).values()]
    while waiting and len(visited) < MOST:
        value, depth = waiting.pop()
        if id(value) in visited:
            continue
        visited.add(id(value))
        if isinstance(value, np.ndarray | torch.Tensor):
            total += value.nbytes
        elif isinstance(value, (str, bytes, int, float, np.generic)):
            total += sys.getsizeof(value)
        elif isinstance(value, FunctionType):
            total += LINK
            cells = (cell.cell_contents for cell in value.__closure__ or ())
            waiting += [(each, depth) for each in cells]
        elif isinstance(value, (Mapping, *CONTAINERS)) and depth < DEEPEST:
            total += sys.getsizeof(value)
            inner = value.values() if isinstance(value, Mapping) else value
            waiting += [(each, depth + 1) for each in list(inner)[:MOST]]
    return total

"""Outcomes as plain values, for a file: `outcomes.unpacked` reads them again."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from autograder.core.outcomes import Entry


class Packer:
    """Entries as plain values; an array that comes again is kept once."""

    def __init__(self) -> None:
        """Begins empty."""
        self.arrays: list[Any] = []
        self.places: dict[str, int] = {}

    def pack(self, entry: Entry) -> list[Any]:
        """Returns an entry's mistakes, crashes, and the place of each array in `arrays`."""
        arrays = {**entry.outcome.arrays, **entry.outcome.fingerprint}
        places = {name: self._place(array) for name, array in arrays.items()}
        return [list(entry.mistakes), dict(entry.outcome.crashes), places, entry.choice]

    def _place(self, array: np.ndarray) -> int:
        values = [float(f"{value:.6g}") for value in array.astype(np.float64).ravel()]
        plain = [list(array.shape), values]
        key = json.dumps(plain)
        if key not in self.places:
            self.places[key] = len(self.arrays)
            self.arrays.append(plain)
        return self.places[key]

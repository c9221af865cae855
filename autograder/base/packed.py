"""What was seen, as bytes: the same on the pipe from a student's process, on disk, and in a table.

They are a safetensors file. Its arrays are all numbers of one kind in a row; its metadata is a JSON
text that says where each array lies. Nothing in it is ever unpickled.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from typing import Any

import numpy as np
from safetensors.numpy import load, save

from autograder.base.seen import Crash, Seen

SMALL = "f4"
"""The kind of numbers of what our own code leads to: as exact as all that is compared."""
HUGE = 1e38  # beyond, no small float is as large
LARGEST = 8 * 2**20  # numbers of an array
USUAL = {one.name: one.default for one in fields(Crash)}
Place = tuple[str, int, list[int]]
"""Kind of numbers, where they begin, and their shape."""


def pack(every: Iterable[Seen], note: Mapping[str, Any], kind: str = "") -> bytes:
    """Returns bytes that have what was seen, and a note.

    Args:
        every: What was seen; an array that comes again is kept once.
        note: Plain values, as JSON has them.
        kind: Of all numbers, such as "f4"; "" leaves each as it is.
    """
    numbers, lengths = dict[str, list[np.ndarray]](), dict[str, int]()
    arrays, places = list[Place](), dict[tuple[str, str, bytes], int]()

    def place(array: np.ndarray) -> int:
        if kind and not is_huge(array):
            array = np.asarray(array, kind)
        key = array.dtype.str[1:], str(array.shape), array.tobytes()
        if key not in places:
            places[key] = len(arrays)
            start = lengths.get(key[0], 0)
            arrays.append((key[0], start, list(array.shape)))
            numbers.setdefault(key[0], []).append(array.ravel())
            lengths[key[0]] = start + array.size
        return places[key]

    plain = [
        [
            {name: place(array) for name, array in seen.arrays.items()},
            {case: plain_crash(crash) for case, crash in seen.crashes.items()},
            seen.mistakes,
            seen.choice,
        ]
        for seen in every
    ]
    head = {"seen": plain, "arrays": arrays, "note": note}
    rows = {name: np.concatenate(parts) for name, parts in numbers.items()}
    return save(rows, {"json": json.dumps(head, separators=(",", ":"))})


def is_huge(array: np.ndarray) -> bool:
    """Returns whether an array has numbers that a small float cannot be."""
    finite = array[np.isfinite(array)].astype(np.float64)
    return bool(np.abs(finite).max(initial=0) >= HUGE)


def plain_crash(crash: Crash) -> dict[str, Any]:
    """Returns the fields of an exception that say anything."""
    return {name: value for name, value in asdict(crash).items() if value != USUAL[name]}


def head_of(data: bytes) -> dict[str, Any]:
    """Returns the JSON text of packed bytes, as plain values."""
    length = int.from_bytes(data[:8], "little")
    head: dict[str, Any] = json.loads(json.loads(data[8 : 8 + length])["__metadata__"]["json"])
    return head


def unpack(data: bytes) -> tuple[list[Seen], dict[str, Any]]:
    """Returns what was seen, and the note.

    Raises:
        Exception: Of any kind, if the bytes are not of that form.
    """
    head = head_of(data)
    rows = {name: _wide(array) for name, array in load(data).items()}
    arrays = [_array(rows, *place) for place in head["arrays"]]
    every = [
        Seen(
            {name: arrays[at] for name, at in places.items()},
            {case: Crash(**{"kind": "", "text": "", **plain}) for case, plain in raised.items()},
            tuple(mistakes),
            tuple((point, mutation) for point, mutation in choice),
        )
        for places, raised, mistakes, choice in head["seen"]
    ]
    return every, dict(head["note"])


def _wide(array: np.ndarray) -> np.ndarray:
    """Returns small floats as large ones, in which differences of numbers are exact."""
    return array.astype(np.float64) if array.dtype == np.float32 else array


def _array(rows: Mapping[str, np.ndarray], kind: str, start: int, shape: list[int]) -> np.ndarray:
    """Returns an array; without any elements it could be of any size, and what is made from it too.

    Raises:
        ValueError: If it is too large.
    """
    if math.prod(max(1, size) for size in shape) > LARGEST:
        raise ValueError("too large a shape")
    return rows[kind][start : start + math.prod(shape)].reshape(shape)

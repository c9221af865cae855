"""Messages between the judge and the process that runs a student's code: numbers and text only.

A message is its length, 8 bytes, and a safetensors file whose metadata holds one JSON text. Nothing
in it is ever unpickled, and no message is larger than `LIMIT`.
"""

from __future__ import annotations

import json
import math
import struct
from dataclasses import asdict
from typing import Any

import numpy as np
from safetensors.numpy import load, save

from autograder.base.record import MAX_NAMES, MAX_TEXT, Crash, Record, Trial
from autograder.base.text import plain_text

LIMIT = 8 * 2**20  # bytes; the largest honest message is a tenth of that
MOST_TRIALS, MOST_ARRAYS, MOST_LINES = 200, 2000, 10**6
MOST_PARTS, DEEPEST, LARGEST = 5000, 3, 10**12  # of a note: items, lists in lists, numbers
HEAD = struct.Struct("<Q")


class ChannelError(Exception):
    """The bytes that arrived are not a message."""


def pack(record: Record, note: dict[str, Any] | None = None) -> bytes:
    """Returns an observation as bytes, length included."""
    arrays = {
        f"{name}/{key}": array
        for name, trial in record.items()
        for key, array in trial.arrays.items()
    }
    # Scalars become arrays of one element on the way through `ascontiguousarray`.
    shapes = {place: array.shape for place, array in arrays.items()}
    crashes = {name: trial.crash for name, trial in record.items()}
    plain = {name: {"crash": crash and asdict(crash)} for name, crash in crashes.items()}
    text = json.dumps({"trials": plain, "shapes": shapes, "note": note or {}})
    body = save({place: np.ascontiguousarray(a) for place, a in arrays.items()}, {"json": text})
    return HEAD.pack(len(body)) + body


def is_whole(data: bytes | bytearray) -> bool:
    """Returns whether `data` is as long as its first bytes say."""
    size = HEAD.size
    return len(data) >= size and HEAD.unpack(data[:size])[0] == len(data) - size


def unpack(body: bytes) -> tuple[Record, dict[str, Any]]:
    """Reads the bytes after the length.

    Raises:
        ChannelError: If they are anything but a message; whoever wrote them is not trusted.
    """
    try:
        (head_length,) = HEAD.unpack(body[: HEAD.size])
        head = json.loads(body[HEAD.size : HEAD.size + head_length])
        text = json.loads(head["__metadata__"]["json"])
        arrays = load(body)
        if len(text["trials"]) > MOST_TRIALS or len(arrays) > MOST_ARRAYS:
            raise ValueError("too many parts")  # noqa: TRY301
        record = {}
        for name, plain in text["trials"].items():
            record[_kept(name)] = Trial({}, read_crash(plain["crash"]))
        for key, array in arrays.items():
            name, _, short = key.partition("/")
            record[name].arrays[_kept(short)] = array.reshape(_shape(text["shapes"][key]))
        note: dict[str, Any] = _bounded(dict(text["note"]))
        return record, note
    except Exception as error:
        raise ChannelError(f"not a message: {error}") from error


def read_crash(plain: dict[str, Any] | None) -> Crash | None:
    """Reads what was raised, none of which is trusted: every text is short, and in one piece.

    Raises:
        Exception: Of any kind, if it is not of that form.
    """
    if not plain:
        return None
    line, names, blank = int(plain["line"]), list(plain["names"]), plain["blank"]
    texts = {key: _kept(plain[key]) for key in ("kind", "text", "file", "source", "function")}
    return Crash(
        **texts,
        line=min(max(line, 0), MOST_LINES),
        blank=None if blank is None else _kept(blank),
        names=tuple(_kept(name) for name in names[:MAX_NAMES]),
    )


def _shape(dimensions: list[int]) -> list[int]:
    """Returns a shape; without any elements it could be of any size, and what is made from it too.

    Raises:
        ValueError, TypeError: If it is larger than any message.
    """
    if math.prod(max(1, size) for size in dimensions) > LIMIT:
        raise ValueError("too large a shape")
    return dimensions


def _bounded(value: Any, deep: int = DEEPEST) -> Any:
    """Returns a value from the other side, its texts cleaned.

    Raises:
        ValueError: If it is not plain, or larger than any honest one.
    """
    if isinstance(value, list | dict):
        return _bounded_parts(value, deep)
    if isinstance(value, str):
        return _kept(value)
    if value is None or (isinstance(value, int | float) and abs(value) <= LARGEST):
        return value
    raise ValueError("not a note")


def _bounded_parts(parts: list[Any] | dict[str, Any], deep: int) -> Any:
    if not deep or len(parts) > MOST_PARTS:
        raise ValueError("not a note")
    if isinstance(parts, list):
        return [_bounded(one, deep - 1) for one in parts]
    return {_kept(key): _bounded(one, deep - 1) for key, one in parts.items()}


def _kept(text: str) -> str:
    """Returns what is kept of a text from the other side."""
    return plain_text(text, MAX_TEXT)

"""Messages between the judge and the process that runs a student's code: numbers and text only.

A message is its length, 8 bytes, and what `packed` makes of numbers and text. No message is larger
than `LIMIT`.
"""

from __future__ import annotations

import struct
from typing import Any

from autograder.base import packed
from autograder.base.seen import MAX_NAMES, MAX_TEXT, Crash, Seen
from autograder.base.text import plain_text

LIMIT = 8 * 2**20  # bytes; the largest honest message is a tenth of that
MOST_CASES, MOST_ARRAYS, MOST_LINES = 200, 2000, 10**6
MOST_PARTS, DEEPEST, LARGEST = 5000, 3, 10**12  # of a note: items, lists in lists, numbers
TEXTS = ("kind", "text", "file", "source", "function")  # of an exception
HEAD = struct.Struct("<Q")


class ChannelError(Exception):
    """The bytes that arrived are not a message."""


def pack(seen: Seen | None = None, /, **note: Any) -> bytes:
    """Returns what was seen, and a note, as a message, length included."""
    body = packed.pack([seen or Seen()], note)
    return HEAD.pack(len(body)) + body


def is_whole(data: bytes | bytearray) -> bool:
    """Returns whether `data` is as long as its first bytes say."""
    size = HEAD.size
    return len(data) >= size and HEAD.unpack(data[:size])[0] == len(data) - size


def unpack(body: bytes) -> tuple[Seen, dict[str, Any]]:
    """Reads the bytes after the length.

    Raises:
        ChannelError: If they are anything but a message; whoever wrote them is not trusted.
    """
    try:
        (found,), note = packed.unpack(body)
        if len(found.crashes) > MOST_CASES or len(found.arrays) > MOST_ARRAYS:
            raise ValueError("too many parts")  # noqa: TRY301
        if sum(array.nbytes for array in found.arrays.values()) > LIMIT:
            raise ValueError("arrays that share their numbers")  # noqa: TRY301
        arrays = {_kept(name): array for name, array in found.arrays.items()}
        crashes = {_kept(case): read_crash(one) for case, one in found.crashes.items()}
        return Seen(arrays, crashes), _bounded(note)
    except Exception as error:
        raise ChannelError(f"not a message: {error}") from error


def read_crash(crash: Crash) -> Crash:
    """Reads what was raised, none of which is trusted: every text is short, and in one piece.

    Raises:
        Exception: Of any kind, if a field is not of its type.
    """
    texts = {key: _kept(getattr(crash, key)) for key in TEXTS}
    return Crash(
        **texts,
        line=min(max(int(crash.line), 0), MOST_LINES),
        blank=None if crash.blank is None else _kept(crash.blank),
        names=tuple(_kept(name) for name in list(crash.names)[:MAX_NAMES]),
    )


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

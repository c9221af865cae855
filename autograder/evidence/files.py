"""Reading what a student handed in, which may be anything: bounded, and never through a link."""

from __future__ import annotations

import itertools
import json
import math
import os
import stat
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

from autograder.base.text import one_line

MOST_ENTRIES = 2000
# Without O_NONBLOCK, opening a pipe would wait for somebody to write into it. Not all systems have
# all of these.
FLAGS = os.O_RDONLY
for _name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"):
    FLAGS |= getattr(os, _name, 0)


class UnreadableError(Exception):
    """A file is not there or is not what it should be; one line says which and why."""


def entries(folder: Path) -> list[os.DirEntry[str]]:
    """Returns what lies in a folder, by name.

    Raises:
        UnreadableError: If it is a link, cannot be listed, or contains more than anybody hands in.
    """
    name = one_line(folder.name)
    if folder.is_symlink():
        raise UnreadableError(f"{name} is a link, and links are not followed")
    try:
        with os.scandir(folder) as found:
            listed = list(itertools.islice(found, MOST_ENTRIES + 1))
    except (OSError, ValueError) as error:
        raise UnreadableError(f"{name} is no folder that can be read: {error}") from error
    if len(listed) > MOST_ENTRIES:
        raise UnreadableError(f"{name} contains more than {MOST_ENTRIES:,} files")
    return sorted(listed, key=lambda entry: entry.name)


def read_bytes(file: Path, limit: int) -> bytes:
    """Returns all of a regular file of at most `limit` bytes.

    Raises:
        UnreadableError: If it is missing, larger, a link, a pipe, a device or a folder.
    """
    name = one_line(file.name)
    try:
        if file.is_symlink():
            raise UnreadableError(f"{name} is a link, and links are not followed")
        data = _read(os.open(file, FLAGS), limit)
    except FileNotFoundError:
        raise UnreadableError(f"{name} is not there") from None
    except (OSError, ValueError) as error:
        raise UnreadableError(f"{name} cannot be read: {error}") from error
    if data is None:
        raise UnreadableError(f"{name} is no plain file")
    if len(data) > limit:
        raise UnreadableError(f"{name} is larger than {limit:,} bytes")
    return data


def _read(descriptor: int, limit: int) -> bytes | None:
    """Returns up to `limit` bytes and one more, or None if it is no plain file; closes it."""
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        with open(descriptor, "rb", closefd=False) as stream:
            return stream.read(limit + 1)
    finally:
        os.close(descriptor)


def read_text(file: Path, limit: int) -> str:
    """Returns a file as text.

    Raises:
        UnreadableError: As `read_bytes`, and if it is not UTF-8.
    """
    try:
        return read_bytes(file, limit).decode("utf-8")
    except UnicodeDecodeError:
        raise UnreadableError(f"{one_line(file.name)} is not text") from None


def read_json(file: Path, limit: int) -> dict[str, Any]:
    """Returns a JSON object.

    Raises:
        UnreadableError: As `read_text`, and if it is no strict JSON object: numbers that are not
            finite, keys that occur twice and nesting without end are rejected.
    """
    text = read_text(file, limit)
    try:
        found = json.loads(
            text, object_pairs_hook=_once, parse_float=_finite, parse_constant=_no_constant
        )
    except (ValueError, RecursionError) as error:
        reason = "nested too deep" if isinstance(error, RecursionError) else one_line(str(error))
        raise UnreadableError(f"{one_line(file.name)} is no JSON: {reason}") from None
    if not isinstance(found, dict):
        raise UnreadableError(f"{one_line(file.name)} contains no JSON object")
    return found


def arrays_in(data: bytes, longest: int) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Returns kind and shape of each array in a safetensors file, by its header.

    Raises:
        ValueError: If there is no such header of at most `longest` bytes; one line says why.
    """
    if len(data) < 8:
        raise ValueError("the file is cut off")
    (length,) = struct.unpack("<Q", data[:8])
    if length > min(longest, len(data) - 8):
        raise ValueError("the header is longer than the file, or than a header needs to be")
    try:
        head = json.loads(data[8 : 8 + length])
        head.pop("__metadata__", None)
        return {name: (str(one["dtype"]), tuple(one["shape"])) for name, one in head.items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise ValueError("the header is no description of arrays") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key occurs twice")
    return found


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is not a finite number")
    return number


_no_constant: Callable[[str], Any] = _finite  # NaN and Infinity

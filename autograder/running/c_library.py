"""Calls of the C library that Python does not offer, with errors as `OSError`."""

from __future__ import annotations

import ctypes
import os


def prctl(option: int, *values: int) -> int:
    """Calls `prctl`, all of whose arguments are numbers here.

    Raises:
        OSError: If the kernel refuses.
    """
    arguments = [ctypes.c_ulong(value) for value in (*values, 0, 0, 0, 0)[:4]]
    return c_call("prctl", ctypes.c_int(option), *arguments)


def c_call(function: str, *arguments: object) -> int:
    """Calls a function of the C library that returns -1 and sets `errno` if it fails."""
    library = ctypes.CDLL(None, use_errno=True)
    result = int(getattr(library, function)(*arguments))
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result

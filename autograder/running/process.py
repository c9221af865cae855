"""What Python does not offer of the process in which a student's code runs: its kernel's calls."""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Iterator

MEMORY = 2 * 2**30  # bytes; a probe needs a tenth of that


def c_call(function: str, *arguments: object) -> int:
    """Calls a function of the C library that returns -1 and sets `errno` if it fails.

    Raises:
        OSError: If it fails.
    """
    library = ctypes.CDLL(None, use_errno=True)
    result = int(getattr(library, function)(*arguments))
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def prctl(option: int, *values: int) -> int:
    """Calls `prctl`, all of whose arguments are numbers here."""
    arguments = [ctypes.c_ulong(value) for value in (*values, 0, 0, 0, 0)[:4]]
    return c_call("prctl", ctypes.c_int(option), *arguments)


def address_space() -> int:
    """Returns the size of this process, in bytes."""
    import resource  # not on Windows

    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


@contextlib.contextmanager
def bounded(most: int = MEMORY) -> Iterator[None]:
    """Lets more than `most` further bytes raise MemoryError, on the line that asks for them.

    So a list that grows for ever does not take the whole machine. It works on Linux alone.
    A lower limit stays as it is. A sandbox has a limit of its own, and lets nobody read the size.
    """
    try:
        wanted = address_space() + most
    except (ImportError, OSError):
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if soft == resource.RLIM_INFINITY or wanted < soft:
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
    try:
        yield
    finally:  # whoever reports what happened needs some memory, too
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))

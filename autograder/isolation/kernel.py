"""Calls of the Linux kernel that Python does not offer, with errors as `OSError`."""

from __future__ import annotations

import ctypes
import platform
from pathlib import Path

from autograder.running.process import c_call

MACHINES = {"x86_64": 0, "amd64": 0, "aarch64": 1, "arm64": 1}


def machine() -> int:
    """Returns which column of a table of system calls holds for this machine.

    Raises:
        OSError: If none does.
    """
    found = MACHINES.get(platform.machine().lower())
    if found is None:
        raise OSError(f"the numbers of system calls on {platform.machine()} are not known here")
    return found


def system_call(number: int, *arguments: object) -> int:
    """Makes a system call by its number; integers are passed as longs.

    Raises:
        OSError: If the kernel refuses, or does not know it.
    """
    passed = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return c_call("syscall", ctypes.c_long(number), *passed)


def threads() -> int:
    """Returns how many threads this process has; 1 where that cannot be seen."""
    try:
        return len(list(Path("/proc/self/task").iterdir()))
    except OSError:
        return 1

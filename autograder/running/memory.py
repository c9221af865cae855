"""How much memory a student's code may take, beyond what its process has when it begins."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

MEMORY = 2 * 2**30  # bytes; a probe needs a tenth of that


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

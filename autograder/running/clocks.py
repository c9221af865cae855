"""How long a student's code has run, on a machine that may be busy with others."""

from __future__ import annotations

import contextlib
import gc
import time
from collections.abc import Iterator, Mapping
from typing import NamedTuple

try:
    import resource
except ImportError:  # as on Windows
    resource = None  # type: ignore[assignment]


class Clocks(NamedTuple):
    """The clocks and counters of this process, at one moment."""

    wall: float  # seconds
    processor: float  # seconds that it had a processor
    waits: int  # how often it left the processor by itself, for example to sleep
    interruptions: int  # how often the processor was taken from it, for the sake of others


def read_clocks() -> Clocks:
    """Reads the clocks and counters; without counters, as on Windows, these stay 0."""
    waits = interruptions = 0
    if resource is not None:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        waits, interruptions = usage.ru_nvcsw, usage.ru_nivcsw
    return Clocks(time.monotonic(), time.process_time(), waits, interruptions)


class Usage:
    """How long this process has computed and slept since this object was made.

    The time in which others had the processor is in neither sum, so load never counts. A process
    that sleeps leaves the processor by itself, and one that computes is interrupted. That is how
    the two are distinguished, from one look to the next.
    """

    def __init__(self) -> None:
        """Begins to count."""
        self.computed = self.slept = 0.0
        self._last = read_clocks()

    def look(self) -> None:
        """Adds what was used since the last look."""
        now, last = read_clocks(), self._last
        computed = now.processor - last.processor
        self.computed += computed
        if now.waits - last.waits > now.interruptions - last.interruptions:
            self.slept += max(0.0, now.wall - last.wall - computed)
        self._last = now


class Garbage:
    """How long Python has looked for garbage. It looks at the whole process, so no trial pays."""

    def __init__(self) -> None:
        """Begins to count."""
        self.spent = self._began = 0.0
        self.looked_for = False  # at this moment; an exception would be lost

    def begin(self, phase: str, info: Mapping[str, int]) -> None:
        """Notes that a look begins."""
        if phase == "start":
            self.looked_for, self._began = True, read_clocks().processor

    def end(self, phase: str, info: Mapping[str, int]) -> None:
        """Notes that a look ends."""
        if phase == "stop" and self.looked_for:
            self.spent += read_clocks().processor - self._began
            self.looked_for = False

    @contextlib.contextmanager
    def counted(self) -> Iterator[None]:
        """Counts for a while, from before the first callback to after the last."""
        gc.callbacks.insert(0, self.begin)
        gc.callbacks.append(self.end)
        try:
            yield
        finally:
            gc.callbacks.remove(self.begin)
            gc.callbacks.remove(self.end)

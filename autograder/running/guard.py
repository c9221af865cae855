"""A limit of time on a student's code, as an exception on the student's line."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import threading
from collections.abc import Iterator
from types import FrameType
from typing import NoReturn

from autograder.source.importing import PackageFinder

MOST_SECONDS = 1.0  # of a look at what may never end; it takes milliseconds
TRIAL_SECONDS = 2.0  # of any other trial; the slowest honest one takes a tenth of a second
AGAIN = 3.0  # until a second exception: Python drops one that comes while it frees an object


class NeverEndsError(BaseException):
    """A student's code took too long; raised where it was at that time."""


class ExitsError(BaseException):
    """A student's code wanted to end the process."""


@contextlib.contextmanager
def guarded(seconds: float) -> Iterator[None]:
    """Turns an endless loop, or an end of the process, into an exception on the student's line.

    So it is known whose it is. Seconds are the processor's: those of a busy machine do not count.
    Python does not look for garbage meanwhile, because that takes the whole process's time, and
    an exception would be lost. A library is imported to its end, and the count begins anew: half
    of a library would break whatever needs it later.

    Whatever else never ends, such as a sleep, the limit of the whole probe ends; and on Windows,
    which has no such signals, any loop.
    """

    def give_up(number: int, frame: FrameType | None) -> None:
        if imports_library(frame):
            signal.setitimer(signal.ITIMER_PROF, seconds)
            return
        signal.setitimer(signal.ITIMER_PROF, AGAIN)
        raise NeverEndsError(f"no end within {seconds:g} s")

    leave, here, collects = os._exit, os.getpid(), gc.isenabled()

    def end(status: int = 0) -> NoReturn:
        if os.getpid() != here:  # a child of the student's own ends as it likes
            leave(status)
        raise ExitsError(f"the code ends its process with status {status}")

    alarms = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if alarms:
        before = signal.signal(signal.SIGPROF, give_up)
        outer = signal.setitimer(signal.ITIMER_PROF, seconds)
    os._exit = end
    gc.disable()
    try:
        yield
    finally:
        os._exit = leave
        if collects:
            gc.enable()
        if alarms:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, before)
            signal.setitimer(signal.ITIMER_PROF, *outer)  # of a guard around this one


def imports_library(frame: FrameType | None) -> bool:
    """Returns whether code was interrupted while it imported something that no student wrote."""
    while frame is not None:
        if isinstance(frame.f_globals.get("__loader__"), PackageFinder):
            return False
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


@contextlib.contextmanager
def aside() -> Iterator[None]:
    """Lets a probe look at a neighbour's code: whatever is wrong with that, is the neighbour's."""
    try:
        with guarded(MOST_SECONDS):
            yield
    except BaseException:  # noqa: BLE001  (the neighbour may raise SystemExit too)
        pass

"""A limit of time on a student's code, as an exception on the student's line."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from types import FrameType
from typing import NoReturn

from autograder.running.clocks import Garbage, Usage
from autograder.source.submission import PackageFinder

MOST_SECONDS = 1.0  # of a look at what may never end; it takes milliseconds
TRIAL_SECONDS = 2.0  # of any other trial; the slowest honest one takes a tenth of a second
AGAIN = 3.0  # until a second exception: Python drops one that comes while it frees an object
PATIENCE = 3  # times as long where the student's code sleeps


class NeverEndsError(BaseException):
    """A student's code took too long; raised where it was at that time."""


class ExitsError(BaseException):
    """A student's code wanted to end the process."""


@contextlib.contextmanager
def guarded(seconds: float) -> Iterator[None]:
    """Turns an endless loop, or an end of the process, into an exception on the student's line.

    So it is known whose it is. Only what the code does by itself counts: `seconds` of the
    processor's time, or `PATIENCE` times as many of sleep. The time that a busy machine gives to
    others does not count, nor what a look for garbage takes, up to `seconds`. A library is imported
    to its end, and the count begins anew: half of a library would break whatever needs it later.

    Whatever else never ends, the limit of the whole probe ends: a loop that catches all exceptions,
    and on Windows, which has no such signals, any loop.
    """
    usage, garbage = Usage(), Garbage()

    def give_up(number: int, frame: FrameType | None) -> None:
        nonlocal usage
        if imports_library(frame):
            usage = Usage()
        usage.look()
        computed = usage.computed - min(garbage.spent, seconds)
        if garbage.looked_for or (computed < seconds and usage.slept < PATIENCE * seconds):
            signal.setitimer(signal.ITIMER_REAL, seconds / 4)
            return
        signal.setitimer(signal.ITIMER_REAL, AGAIN)
        raise NeverEndsError(f"no end within {seconds:g} s")

    leave, here = os._exit, os.getpid()

    def end(status: int = 0) -> NoReturn:
        if os.getpid() != here:  # a child of the student's own ends as it likes
            leave(status)
        raise ExitsError(f"the code ends its process with status {status}")

    alarms = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if alarms:
        before = signal.signal(signal.SIGALRM, give_up)
        outer = signal.setitimer(signal.ITIMER_REAL, seconds)
    os._exit = end
    try:
        with garbage.counted():
            yield
    finally:
        os._exit = leave
        if alarms:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            signal.setitimer(signal.ITIMER_REAL, *outer)  # of a guard around this one


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

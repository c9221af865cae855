"""The last words of a probe that never ends: the line where it is."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import traceback
from collections.abc import Callable, Iterator

from autograder.base.seen import PROBE, Crash, Seen
from autograder.running import channel, prints
from autograder.running.crashes import students_line
from autograder.running.guard import NeverEndsError

LAST_WORDS = 0.5  # seconds, at most, that a probe gives up early to report where it was


@contextlib.contextmanager
def last_words(package: str, limit: float, send: Callable[[bytes], object]) -> Iterator[None]:
    """Shortly before `limit` seconds are over, sends where this thread is, and ends the process.

    It takes a thread of its own, for a student's code may catch whatever is raised in it. A loop
    within a library that lets no other thread run is left to whoever waits for this process.
    """
    taken, watched, leave = threading.Lock(), threading.get_ident(), os._exit

    def give_up() -> None:
        if not taken.acquire(blocking=False):  # it has just come to its end
            return
        try:
            frames = traceback.walk_stack(sys._current_frames()[watched])
            crash = Crash(NeverEndsError.__name__, "", **students_line(frames, package))
            found = Seen(crashes={PROBE: crash})
            send(channel.pack(found, ended=no_answer(limit), prints=prints.noted_so_far()))
        finally:  # without these words, whoever waits for this process reports no place
            leave(0)

    timer = threading.Timer(limit - min(LAST_WORDS, limit / 10), give_up)
    timer.daemon = True
    with contextlib.suppress(RuntimeError):  # as many threads as are allowed
        timer.start()
    try:
        yield
    finally:
        taken.acquire()
        timer.cancel()


def no_answer(limit: float) -> str:
    """Returns the message about a probe that took too long."""
    return f"no answer within {limit:g} s"

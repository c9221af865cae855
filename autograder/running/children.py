"""Children of this process, which do one thing each, and the loop in which a process answers."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterable, Sequence

from autograder.running.process import prctl

PR_SET_PDEATHSIG = 1


class Child:
    """A fork that does one thing, in a group of processes of its own."""

    def __init__(self, work: Callable[[int], object], private: Sequence[int] = ()) -> None:
        """Starts it.

        Args:
            work: What it does; takes the file to which it writes, whose other end is `reading`.
            private: Files of this process that it must neither read nor write.
        """
        self.reading, writing = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.setsid()
                die_with_parent()
                for fd in (self.reading, *private):
                    os.close(fd)
                work(writing)
            finally:  # whatever was raised, a child never goes on with its parent's work
                os._exit(0)
        os.close(writing)

    def read(self) -> bytes:
        """Returns all that it writes until it ends."""
        with os.fdopen(os.dup(self.reading), "rb") as file:
            return file.read()

    def wait(self) -> int:
        """Waits for its end; returns the signal that has ended it, 0 if it left by itself."""
        os.close(self.reading)
        return os.WTERMSIG(os.waitpid(self.pid, 0)[1])

    def end(self) -> int:
        """Ends it with its own children, and waits."""
        for kill in (os.killpg, os.kill):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                kill(self.pid, signal.SIGKILL)  # of no effect on one that is ending
        return self.wait()


def die_with_parent() -> None:
    """Lets this process end with the one that forked it, where the system knows how."""
    if sys.platform == "linux":
        with contextlib.suppress(AttributeError, OSError):
            prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def serve(requests: Iterable[bytes], answers: int, respond: Callable[[bytes], bytes]) -> None:
    """Answers requests, a line each, until there are no more.

    Args:
        requests: The lines.
        answers: The file to which answers go.
        respond: Returns a message; nothing where it has sent one itself.
    """
    for line in requests:
        write_all(answers, respond(line))


def write_all(fd: int, data: bytes) -> None:
    """Writes all of `data`, however long the other side takes."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]

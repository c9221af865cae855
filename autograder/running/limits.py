"""Work on what strangers have sent, in a process of its own with limits on time and memory."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import traceback
from collections.abc import Callable
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

from autograder.running.children import Child
from autograder.running.process import address_space

SECONDS = 20.0  # of the processor's; the slowest honest work takes a tenth
PATIENCE = 10  # times as long by the clock: others work on this machine too
MEMORY = 2**30  # bytes beyond what the process has when it starts


class ExceededError(Exception):
    """Work took too much time or memory, and was ended."""


class OurError(Exception):
    """Work raised an exception; the message describes it and its line."""


class Limited:
    """A child of this process that does one piece of work after the other, and keeps its caches.

    It is forked when it is first needed, and anew after it has died.
    """

    def __init__(self, seconds: float = SECONDS, memory: int = MEMORY) -> None:
        """Starts nothing yet."""
        self.seconds, self.memory = seconds, memory
        self.child: Child | None = None

    def do(self, work: Callable[..., Any], *given: Any) -> Any:
        """Calls a function of a module, whose result is plain, as JSON has it.

        Raises:
            ExceededError: If it takes too much.
            OurError: If it raises anything but MemoryError.
        """
        if not hasattr(os, "fork"):  # where nobody judges strangers' work
            return work(*given)
        request = (work.__module__, work.__qualname__, given)
        text = self._answer(request)
        if text is None:  # whoever killed it, its own limits did not: it begins anew
            text = self._answer(request)
        if not text:
            message = f"{self.seconds:g} s and {self.memory >> 20} MB"
            raise ExceededError(f"what was handed over could not be judged within {message}")
        answer = json.loads(text)
        if "raised" in answer:
            raise OurError(answer["raised"])
        return answer["done"]

    def _answer(self, request: object) -> bytes | None:
        """Returns what the child answers: nothing where it took too much, None if it was killed."""
        if not self.child:
            self._start()
        with contextlib.suppress(EOFError, OSError):
            self.pipe.send(request)
            if self.pipe.poll(PATIENCE * self.seconds):
                return self.pipe.recv_bytes()
            self.close()
            return b""
        return None if self.close() == signal.SIGKILL else b""

    def close(self) -> int:
        """Ends the child; returns the signal that has ended it, 0 if it left by itself."""
        child, self.child = self.child, None
        if child is None:
            return 0
        self.pipe.close()
        return child.end()

    def _start(self) -> None:
        self.pipe, theirs = Pipe()
        ours = self.pipe.fileno()
        self.child = Child(lambda _: _serve(theirs, self.seconds, self.memory), [ours])
        theirs.close()


def _serve(pipe: Connection, seconds: float, memory: int) -> None:
    """Does what is asked for, until there is no more, or it takes too much."""
    import resource  # not on Windows, where nobody judges strangers' work

    most = address_space() + memory
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    while True:
        module, name, given = pipe.recv()
        signal.setitimer(signal.ITIMER_PROF, seconds)  # whose signal ends this process
        try:
            answer = {"done": getattr(importlib.import_module(module), name)(*given)}
        except MemoryError:
            return
        except Exception as error:  # noqa: BLE001  (whoever waits reports it)
            answer = {"raised": where(error)}
        signal.setitimer(signal.ITIMER_PROF, 0)
        pipe.send_bytes(json.dumps(answer).encode())


def where(error: Exception) -> str:
    """Describes what was raised, and on which line."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} at {os.path.basename(last.filename)}:{last.lineno}: {error}"

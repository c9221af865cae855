"""The process inside the box: `sandbox_client` starts it as `python -m ...sandbox_inside`.

It imports the slow libraries once. For each submission it forks a *resident*, which sees no other
processes, no network and a /tmp of its own, and gives up every right. Then the resident answers
requests for probes, each in a fork of its own. No student's code is ever run here. When a
submission is done, the kernel ends all processes of its resident.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import time
from typing import Any

from autograder.isolation.memory import Watch
from autograder.isolation.sandbox_instance import CHUNK, HANDOUT, HOME, Files, keep
from autograder.running import channel, children
from autograder.running.children import Child, write_all
from autograder.running.worker import LOOK, TOO_LARGE, take_streams, warm_up
from autograder.source import PACKAGE, ROOT
from autograder.source.importing import Tree

START_SECONDS = 20.0
GRACE = 2.0  # beyond a probe's own limit


class LostError(Exception):
    """A submission's world has ended, or must be ended; the message says why."""


class Resident:
    """The world of one submission, as seen from outside of it.

    Nothing of a submission passes through the memory of this process, from which the next one's
    world is forked: neither its files nor what its probes saw.
    """

    def __init__(self, requests: int, size: int, answers: int) -> None:
        """Starts it; it takes its own files from this process's requests.

        Args:
            requests: Where the next `size` bytes are the files.
            size: How many.
            answers: Where its messages go; both are closed in it.
        """
        from_here, self.requests = os.pipe()
        self.messages, to_here = os.pipe()
        self.memory = Watch()
        files, private = Files(requests, size), (self.requests, self.messages, answers)
        self.keeper = Child(lambda first: keep(files, from_here, to_here, first), private)
        for fd in (from_here, to_here):
            os.close(fd)
        self.first = int(os.read(self.keeper.reading, 16) or 0)

    def ask(self, line: bytes) -> None:
        """Sends a request.

        Raises:
            LostError: If nobody takes it.
        """
        try:
            write_all(self.requests, line)
        except OSError as error:
            raise LostError("the code ended the process it ran in") from error

    def forward(self, answers: int, seconds: float) -> None:
        """Passes one message on, without looking into it.

        Raises:
            LostError: If there is none in time.
        """
        deadline = time.monotonic() + seconds
        head = self._head(deadline)
        (left,) = channel.HEAD.unpack(head)
        if left > channel.LIMIT:
            raise LostError(TOO_LARGE)
        write_all(answers, head)
        while left:
            self._wait_for_more(deadline, begun=True)
            moved = os.splice(self.messages, answers, min(left, CHUNK))
            if not moved:
                os._exit(1)  # half a message went out, after which nothing can be understood
            left -= moved

    def _head(self, deadline: float) -> bytes:
        head = b""
        while len(head) < channel.HEAD.size:
            self._wait_for_more(deadline)
            part = os.read(self.messages, channel.HEAD.size - len(head))
            if not part:
                raise LostError("the code ended the process it ran in")
            head += part
        return head

    def _wait_for_more(self, deadline: float, begun: bool = False) -> None:
        """Waits until there is something to read."""
        why = ""
        while not select.select([self.messages], [], [], LOOK)[0]:
            if self.memory.exceeded():
                why = "the code used too much memory"
            elif time.monotonic() > deadline:
                why = "no answer in time"
            if why and begun:
                os._exit(1)
            if why:
                raise LostError(why)

    def close(self) -> None:
        """Ends everything that lives there, before it returns."""
        if self.first:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.first, signal.SIGKILL)
            # The keeper ends when the first process has, and that when all others have.
            _wait(self.keeper.pid, START_SECONDS)
        self.keeper.end()
        os.close(self.requests)
        os.close(self.messages)


def _wait(pid: int, seconds: float) -> None:
    """Waits until a child is about to be reaped."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG):
            return
        time.sleep(0.001)


def serve(requests: int, answers: int) -> None:
    """Answers requests, a line of JSON each.

    `{"open": SIZE}` is followed by that many bytes, a JSON object of files in base64 by their path
    within `cs285`; all others are for probes. Whoever reads "lost" has to open again.
    """
    warm_up(Tree(None))
    load_probes()
    compile_handout()
    gc.collect()
    gc.freeze()  # or each child's collections would copy the pages of all these objects
    write_all(answers, channel.pack(ready=True))
    resident: Resident | None = None

    def respond(line: bytes) -> bytes:
        nonlocal resident
        request: dict[str, Any] = json.loads(line)
        try:
            if "open" in request:
                if resident:
                    resident.close()
                resident = Resident(requests, int(request["open"]), answers)
                resident.forward(answers, START_SECONDS)
            elif resident is None:
                raise LostError("nothing is open")
            else:
                resident.ask(line)
                resident.forward(answers, float(request["limit"]) + GRACE)
        except LostError as error:
            if resident:
                resident.close()
                resident = None
            return channel.pack(ended=str(error), lost=True)
        return b""

    children.serve(iter(lambda: read_line(requests), b""), answers, respond)


def compile_handout() -> None:
    """Compiles the handout's files at a submission's place: few of them are changed."""
    tree = Tree(HOME / PACKAGE)
    for path, text in tree.given.items():
        tree.compiled(text, str(tree.package / path))
    HANDOUT.update(tree.codes)


def load_probes() -> None:
    """Imports all probes, so that the children need not."""
    for file in sorted((ROOT / "autograder/homeworks").glob("hw*/**/*.py")):
        try:
            importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
        except Exception:  # noqa: BLE001  (the first child that needs this probe reports it)
            continue
    importlib.import_module("autograder.running.declared")


def read_line(fd: int) -> bytes:
    """Reads up to the next line's end, and not a byte more; empty if there is no more."""
    line = b""
    while not line.endswith(b"\n"):
        byte = os.read(fd, 1)
        if not byte:
            return b""
        line += byte
    return line


def main() -> None:
    """Serves the process that started this one."""
    serve(*take_streams())


if __name__ == "__main__":
    main()

"""The process inside the box: `python -m autograder.isolation.box`, which `sandbox` starts.

It imports the slow libraries once. For each submission it forks a *resident*, which enters a world
of its own (no other processes, no network, its own /tmp), gives up every right, and then answers
requests for probes, each in a fork of its own. Nothing of a student's is ever run here; when a
submission is done, the kernel ends whatever lives in its world.
"""

from __future__ import annotations

import base64
import contextlib
import gc
import importlib
import json
import os
import select
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from autograder import channel
from autograder.isolation.c_library import prctl
from autograder.isolation.compiling import compile_files
from autograder.isolation.confine import (
    KEYRING,
    PR_SET_DUMPABLE,
    Limits,
    become,
    confine,
    set_limits,
)
from autograder.isolation.handout_codes import HANDOUT, compile_handout
from autograder.isolation.loading import load_alone
from autograder.isolation.memory import Watch
from autograder.isolation.namespaces import enter, private_folders
from autograder.submission import ROOT, Tree
from autograder.syntax import PACKAGE
from autograder.worker import die_with_parent, in_child, take_streams, warm_up, write_all

NOBODY = 65534
HOME = Path("/tmp/submission")
START_SECONDS = 20.0
CHUNK = 2**20
LOOK = 0.2  # seconds between looks at whether to give up
GRACE = 2.0  # beyond a probe's own limit
LIMITS = Limits()


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
        number, tell_number = os.pipe()
        self.memory = Watch()
        self.keeper = os.fork()
        if self.keeper == 0:
            for fd in (self.requests, self.messages, number, answers):
                os.close(fd)
            _keep(Files(requests, size), from_here, to_here, tell_number)
        for fd in (from_here, to_here, tell_number):
            os.close(fd)
        told = os.read(number, 16)
        os.close(number)
        self.first = int(told) if told else 0

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
            raise LostError("what the code produced is far too large")
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
        for pid in (self.first, self.keeper):
            with contextlib.suppress(ProcessLookupError):
                if pid:
                    os.kill(pid, signal.SIGKILL)
            if pid == self.first and pid:
                # The keeper ends when the first process has, and that when all others have.
                _wait(self.keeper, START_SECONDS)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.keeper, 0)
        os.close(self.requests)
        os.close(self.messages)


class Files(NamedTuple):
    """Where a submission's files can be read, once."""

    fd: int
    size: int

    def read(self) -> dict[str, bytes]:
        """Returns them, by path, and closes the place."""
        data = bytearray()
        while len(data) < self.size:
            data += os.read(self.fd, min(self.size - len(data), CHUNK))
        os.close(self.fd)
        plain: dict[str, str] = json.loads(data)
        return {path: base64.b64decode(text) for path, text in plain.items()}


def _wait(pid: int, seconds: float) -> None:
    """Waits until a child is about to be reaped."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG):
            return
        time.sleep(0.001)


def _keep(files: Files, requests: int, answers: int, tell_number: int) -> None:
    """Raises the walls, starts the first process within them, and ends when that has ended."""
    try:
        os.setsid()
        die_with_parent()
        if os.getuid() == 0:
            become(NOBODY, NOBODY)
            prctl(PR_SET_DUMPABLE, 1)  # or its own maps of users would belong to root
            die_with_parent()  # forgotten with the old user
        enter()
    except OSError as error:
        _refuse(answers, f"no world of its own: {error}")
    first = os.fork()
    if first == 0:
        die_with_parent()
        os.close(tell_number)
        try:
            _live(files, requests, answers)
        except BaseException as error:  # noqa: BLE001  (told to whoever waits, if still possible)
            _refuse(answers, f"{type(error).__name__}: {error}")
        os._exit(0)
    os.write(tell_number, str(first).encode())
    for fd in (tell_number, requests, answers, files.fd):
        os.close(fd)
    os.waitpid(first, 0)
    os._exit(0)


def _refuse(answers: int, why: str) -> None:
    """Reports that this process will not run a student's code, and ends it."""
    write_all(answers, channel.pack({}, {"refused": why}))
    os._exit(1)


def _live(files: Files, requests: int, answers: int) -> None:
    """Gives up every right, and answers requests until there are no more."""
    try:
        Path("/proc/self/oom_score_adj").write_text("1000")
        set_limits(LIMITS)
        private_folders()
        steps = confine(None)
    except (OSError, RuntimeError) as error:
        _refuse(answers, f"not confined: {error}")
    missing = [step for step in steps if not step.works and step.name != KEYRING]
    if missing:
        _refuse(answers, "; ".join(f"{step.name}: {step.why}" for step in missing))
    load_alone()
    tree = Tree(_unpack(files.read()))
    tree.codes.update(HANDOUT)
    os.chdir(HOME)  # where students write what they want to look at
    compile_files(tree)
    write_all(answers, channel.pack({}, {"ready": True}))
    with os.fdopen(requests, "rb") as lines:
        for line in lines:
            message = in_child(tree, json.loads(line), (requests, answers))
            _end_others()
            write_all(answers, message)


def _unpack(files: Mapping[str, bytes]) -> Path:
    """Writes a submission's files; returns its package's folder."""
    package = HOME / PACKAGE
    package.mkdir(parents=True)
    for path, data in files.items():
        file = package / path
        with contextlib.suppress(OSError, ValueError):  # a name that no system takes
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
    return package


def _end_others() -> None:
    """Ends all processes that a probe left behind; this one is the first of its world."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)


def serve(requests: int, answers: int) -> None:
    """Answers requests, a line of JSON each.

    `{"open": SIZE}` is followed by that many bytes, a JSON object of files in base64 by their path
    within `cs285`; all others are for probes. Whoever reads "lost" has to open again.
    """
    warm_up(Tree(None))
    load_probes()
    compile_handout(HOME / PACKAGE)
    gc.collect()
    gc.freeze()  # or each child's collections would copy the pages of all these objects
    write_all(answers, channel.pack({}, {"ready": True}))
    resident: Resident | None = None
    while line := read_line(requests):
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
            write_all(answers, channel.pack({}, {"ended": str(error), "lost": True}))


def load_probes() -> None:
    """Imports all probes, so that the children need not."""
    for file in sorted((ROOT / "autograder").glob("hw*/**/*.py")):
        with contextlib.suppress(Exception):  # told by the first child that needs it
            importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))


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

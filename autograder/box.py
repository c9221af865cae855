"""The process inside the box: `python -m autograder.box`, started by `autograder.sandbox`.

It imports the slow libraries once. For each submission it forks a *resident*, which enters a world
of its own (no other processes, no network, its own /tmp), gives up every right, and then answers
requests for probes, each in a fork of its own. Nothing of a student's is ever run here; when a
submission is done, the kernel ends whatever lives in its world.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from autograder import channel
from autograder.confine import KEYRING, PR_SET_DUMPABLE, Limits, become, confine, set_limits
from autograder.kernel import prctl
from autograder.memory import Watch
from autograder.namespaces import enter, private_folders
from autograder.submission import PACKAGE, Tree
from autograder.worker import die_with_parent, in_child, read_until, warm_up, write_all

NOBODY = 65534
HOME = Path("/tmp/submission")
START_SECONDS = 20.0
PREPARE_SECONDS = 5.0
GRACE = 2.0  # beyond a probe's own limit
LIMITS = Limits()


class BoxError(Exception):
    """The walls around a submission cannot be raised."""


class Resident:
    """The world of one submission, as seen from outside of it."""

    def __init__(self, files: Mapping[str, bytes], private: tuple[int, ...]) -> None:
        """Starts it. `private`: files of this process that are closed in it.

        Raises:
            BoxError: If it is not as closed as it must be.
        """
        from_here, self.requests = os.pipe()
        self.answers, to_here = os.pipe()
        number, tell_number = os.pipe()
        self.memory = Watch()
        self.keeper = os.fork()
        if self.keeper == 0:
            for fd in (self.requests, self.answers, number, *private):
                os.close(fd)
            _keep(files, from_here, to_here, tell_number)
        for fd in (from_here, to_here, tell_number):
            os.close(fd)
        told = os.read(number, 16)
        os.close(number)
        self.first = int(told) if told else 0
        message, ended = self._answer(START_SECONDS)
        if ended:
            self.close()
            raise BoxError(ended)
        _, note = channel.unpack(message[channel.HEAD.size :])
        if "refused" in note:
            self.close()
            raise BoxError(str(note["refused"]))

    def ask(self, line: bytes, limit: float) -> tuple[bytes, str]:
        """Sends a request; returns the whole message, or why there is none."""
        try:
            write_all(self.requests, line)
        except OSError:
            return b"", "the code ended the process it ran in"
        return self._answer(limit + GRACE)

    def _answer(self, seconds: float) -> tuple[bytes, str]:
        deadline = time.monotonic() + seconds
        data, in_time = read_until(self.answers, deadline, self.memory.exceeded)
        if self.memory.exceeded():
            return b"", "the code used too much memory"
        if not in_time:
            return b"", "no answer in time"
        return (data, "") if channel.is_whole(data) else (b"", "the code ended its process")

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
        os.close(self.answers)


def _wait(pid: int, seconds: float) -> None:
    """Waits until a child is about to be reaped."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG):
            return
        time.sleep(0.001)


def _keep(files: Mapping[str, bytes], requests: int, answers: int, tell_number: int) -> None:
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
    for fd in (tell_number, requests, answers):
        os.close(fd)
    os.waitpid(first, 0)
    os._exit(0)


def _refuse(answers: int, why: str) -> None:
    """Reports that this process will not run a student's code, and ends it."""
    write_all(answers, channel.pack({}, {"refused": why}))
    os._exit(1)


def _live(files: Mapping[str, bytes], requests: int, answers: int) -> None:
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
    tree = Tree(_unpack(files))
    _prepare(tree)
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


def _prepare(tree: Tree) -> None:
    """Compiles the files, unless a child that tries it first does not survive it."""
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            signal.setitimer(signal.ITIMER_REAL, PREPARE_SECONDS)
            tree.prepare()
        os._exit(0)
    if os.waitpid(child, 0)[1] == 0:
        tree.prepare()


def _end_others() -> None:
    """Ends all processes that a probe left behind; this one is the first of its world."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answers requests, a line of JSON each: `{"open": {path: base64}}`, or a probe's."""
    warm_up(Tree(None))
    _send(answers, channel.pack({}, {"ready": True}))
    resident: Resident | None = None
    files: dict[str, bytes] = {}
    private = (requests.fileno(), answers.fileno())
    for line in requests:
        request: dict[str, Any] = json.loads(line)
        if "open" in request:
            if resident:
                resident.close()
            files = {path: base64.b64decode(text) for path, text in request["open"].items()}
            resident = None
        try:
            resident = resident or Resident(files, private)
        except BoxError as error:
            _send(answers, channel.pack({}, {"refused": str(error)}))
            continue
        if "open" in request:
            _send(answers, channel.pack({}, {"ready": True}))
            continue
        message, ended = resident.ask(line, float(request["limit"]))
        if ended:
            resident.close()
            resident = None
        _send(answers, message or channel.pack({}, {"ended": ended}))


def _send(answers: BinaryIO, message: bytes) -> None:
    answers.write(message)
    answers.flush()


def main() -> None:
    """Serves the process that started this one."""
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nowhere, fd)
    serve(requests, answers)


if __name__ == "__main__":
    main()

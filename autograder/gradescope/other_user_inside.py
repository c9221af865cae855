"""The process that lets another user run a student's code, where there are no namespaces.

`python -m autograder.gradescope.other_user_inside SETTINGS`, run by root. It imports the slow
libraries once, and never runs or even parses a student's file. For each probe it forks a child that
becomes a user whom nothing belongs to, gives up all that the kernel lets it give up, and only then
touches the submission. Afterwards the kernel ends every process of that user at once, so none
escapes.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import select
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from autograder.isolation.confine import (
    CAPABILITIES,
    LIMITS,
    PRIVILEGES,
    USER,
    Limits,
    Protection,
    become,
    confine,
    drop_capabilities,
)
from autograder.isolation.memory import Watch
from autograder.running import channel
from autograder.running.c_library import prctl
from autograder.running.worker import answer, die_with_parent, take_streams, warm_up, write_all
from autograder.source.submission import Tree

PR_SET_CHILD_SUBREAPER = 36
NECESSARY = (LIMITS, PRIVILEGES, USER, CAPABILITIES)
"""Without one of these no student's code is run."""
SWEEP_SECONDS = 5.0
PAUSE = 0.001
LOOK = 0.2  # seconds between looks at how much memory is used


@dataclass(frozen=True)
class Settings:
    """What the judge tells this process when it starts it."""

    user: int
    package: str
    """The submission's cs285 folder."""
    scratch: str
    """The only folder that the user may write."""
    read: tuple[str, ...]
    """What it may read, where the kernel can restrict that."""


def serve(settings: Settings, requests: BinaryIO, answers: BinaryIO) -> None:
    """Answers requests, a line of JSON each, until there are no more."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)  # what a child leaves behind is ours to bury
    tree = Tree(Path(settings.package))
    warm_up(tree)
    _send(answers, channel.pack({}, {"ready": True}))
    private = (requests.fileno(), answers.fileno())
    _empty(settings)
    for line in requests:
        request: dict[str, Any] = json.loads(line)
        message = _in_child(settings, tree, request, private)
        if not end_all_of(settings.user):
            message = channel.pack({}, {"ended": "the code left processes that cannot be ended"})
        _empty(settings)
        _send(answers, message)


def _send(answers: BinaryIO, message: bytes) -> None:
    answers.write(message)
    answers.flush()


def _empty(settings: Settings) -> None:
    """Makes the scratch folder new. `rm` knows how to remove whatever somebody else has built."""
    subprocess.run(["rm", "-rf", "--one-file-system", settings.scratch], check=False)
    Path(settings.scratch).mkdir(mode=0o700, exist_ok=True)
    os.chown(settings.scratch, settings.user, settings.user, follow_symlinks=False)


def _in_child(
    settings: Settings, tree: Tree, request: dict[str, Any], private: tuple[int, ...]
) -> bytes:
    """Answers one request in a child; returns the message, or one that says why there is none."""
    memory = Watch()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        for fd in (reading, *private):
            os.close(fd)
        _answer(settings, tree, request, writing)
    os.close(writing)
    data, ended = _read(reading, float(request["limit"]), memory)
    os.close(reading)
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return data if not ended else channel.pack({}, {"ended": ended})


def _read(fd: int, seconds: float, memory: Watch) -> tuple[bytes, str]:
    """Reads one message; returns it, or why there is none."""
    data = bytearray()
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        if memory.exceeded():
            return b"", "the code used too much memory"
        if not select.select([fd], [], [], min(left, LOOK))[0]:
            continue
        part = os.read(fd, 1 << 20)
        data += part
        if channel.is_whole(data):
            return bytes(data), ""
        if len(data) > channel.LIMIT + channel.HEAD.size:
            return b"", "what the code produced is far too large"
        if not part:
            return b"", "the code ended the process it ran in"
    return b"", f"no answer within {seconds:g} s"


def _answer(settings: Settings, tree: Tree, request: dict[str, Any], writing: int) -> NoReturn:
    """Confines this process, answers the request and ends."""
    try:
        os.setsid()
        os.chdir(settings.scratch)
        Path("/proc/self/oom_score_adj").write_text("1000")  # the first to go when memory is short
        found = _confined(settings)
        die_with_parent()  # forgotten when the user changes, so not before
        missing = [step.name for step in found if step.name in NECESSARY and not step.works]
        if "reach" in request:
            steps = [[step.name, step.works, step.why] for step in found]
            note = {"steps": steps, "reached": [p for p in request["reach"] if reaches(p)]}
            write_all(writing, channel.pack({}, note))
        elif not missing:
            write_all(writing, answer(tree, request, functools.partial(write_all, writing)))
    finally:  # whatever was raised, a child never goes on with its parent's work
        os._exit(0)


def _confined(settings: Settings) -> list[Protection]:
    """Gives up all that can be given up."""
    write = [Path(settings.scratch), Path("/dev/null")]
    read = [Path(path) for path in settings.read]
    return confine(Limits(), (settings.user, settings.user), read, write)


def reaches(path: str) -> bool:
    """Tells whether this process can read, list or change what is at a path."""
    if os.access(path, os.W_OK):
        return True
    with contextlib.suppress(OSError):
        os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
        return True
    return False


def end_all_of(user: int, seconds: float = SWEEP_SECONDS) -> bool:
    """Ends every process of a user, and waits until none is left; tells whether that worked.

    A child becomes that user and lets the kernel signal all that it may signal, at once: faster
    than anything can fork.
    """
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        child = os.fork()
        if child == 0:
            try:
                _end_others(user)
            finally:  # whatever was raised, a child never goes on with its parent's work
                os._exit(0)
        os.waitpid(child, 0)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not has_processes(user):
            return True
        time.sleep(PAUSE)
    return False


def _end_others(user: int) -> None:
    """Becomes a user and ends all other processes of theirs."""
    become(user, user)
    drop_capabilities()
    try:
        os.kill(os.getppid(), 0)
    except PermissionError:  # root's processes are out of reach, so no others are hit
        os.kill(-1, signal.SIGKILL)


def has_processes(user: int) -> bool:
    """Tells whether a user has processes, zombies among them."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):  # it has just ended
                lines = (entry / "status").read_text(errors="replace").splitlines()
                users = next(line for line in lines if line.startswith("Uid:"))
                if str(user) in users.split():
                    return True
    return False


def main() -> None:
    """Serves the process that started this one."""
    plain = json.loads(sys.argv[1])
    settings = Settings(**{**plain, "read": tuple(plain["read"])})
    requests, answers = take_streams()
    serve(settings, os.fdopen(requests, "rb"), os.fdopen(answers, "wb"))


if __name__ == "__main__":
    main()

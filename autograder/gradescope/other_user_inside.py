"""The process that lets another user run a student's code, where there are no namespaces.

`python -m autograder.gradescope.other_user_inside SETTINGS`, run by root. It imports the slow
libraries once, and never runs or even parses a student's file. For each probe it forks a child. The
child becomes a user who owns nothing, gives up every right that it can, and only then reads the
submission. Afterwards the kernel ends every process of that user at once, so none escapes.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

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
from autograder.running.children import Child, die_with_parent, serve, write_all
from autograder.running.process import prctl
from autograder.running.worker import answer, message_of_child, take_streams, warm_up
from autograder.source.submission import Tree

PR_SET_CHILD_SUBREAPER = 36
NECESSARY = (LIMITS, PRIVILEGES, USER, CAPABILITIES)
"""Without one of these no student's code is run."""
SWEEP_SECONDS = 5.0
PAUSE = 0.001


@dataclass(frozen=True)
class Settings:
    """The judge's orders when it starts this process."""

    user: int
    package: str
    """The submission's cs285 folder."""
    scratch: str
    """The only folder that the user may write."""
    read: tuple[str, ...]
    """All that it may read, where the kernel can restrict that."""


def serve_settings(settings: Settings, requests: BinaryIO, answers: int) -> None:
    """Answers requests, a line of JSON each, until there are no more."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)  # processes that a child leaves behind become ours
    tree = Tree(Path(settings.package))
    warm_up(tree)
    private = (requests.fileno(), answers)
    _empty(settings)

    def answer_one(line: bytes) -> bytes:
        request: dict[str, Any] = json.loads(line)
        work = functools.partial(_answer, settings, tree, request)
        limit = float(request["limit"])
        message = message_of_child(work, limit, private, Watch().exceeded)
        if not end_all_of(settings.user):
            message = channel.pack(ended="the code left processes that cannot be ended")
        _empty(settings)
        return message

    write_all(answers, channel.pack(ready=True))
    serve(requests, answers, answer_one)


def _empty(settings: Settings) -> None:
    """Makes the scratch folder new. `rm` knows how to remove whatever somebody else has built."""
    subprocess.run(["rm", "-rf", "--one-file-system", settings.scratch], check=False)
    Path(settings.scratch).mkdir(mode=0o700, exist_ok=True)
    os.chown(settings.scratch, settings.user, settings.user, follow_symlinks=False)


def _answer(settings: Settings, tree: Tree, request: dict[str, Any], writing: int) -> None:
    """Confines this process, and answers the request."""
    os.chdir(settings.scratch)
    Path("/proc/self/oom_score_adj").write_text("1000")  # the first to go when memory is short
    found = _confined(settings)
    copy_helpers(Path(settings.package).parent, Path(settings.scratch))
    die_with_parent()  # forgotten when the user changed
    missing = [step.name for step in found if step.name in NECESSARY and not step.works]
    if "reach" in request:
        steps = [[step.name, step.works, step.why] for step in found]
        note = {"steps": steps, "reached": [p for p in request["reach"] if reaches(p)]}
        write_all(writing, channel.pack(**note))
    elif not missing:
        write_all(writing, answer(tree, request, functools.partial(write_all, writing)))


def copy_helpers(folder: Path, scratch: Path) -> None:
    """Copies the files beside the package to where the code runs, for it may read them by name."""
    for file in folder.iterdir():
        if file.is_file():
            with contextlib.suppress(OSError):  # it is missed when it is read
                shutil.copyfile(file, scratch / file.name)


def _confined(settings: Settings) -> list[Protection]:
    """Gives up all that can be given up."""
    write = [Path(settings.scratch), Path("/dev/null")]
    read = [Path(path) for path in settings.read]
    return confine(Limits(), (settings.user, settings.user), read, write)


def reaches(path: str) -> bool:
    """Returns whether this process can read, list or change what is at a path."""
    if os.access(path, os.W_OK):
        return True
    with contextlib.suppress(OSError):
        os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
        return True
    return False


def end_all_of(user: int, seconds: float = SWEEP_SECONDS) -> bool:
    """Ends every process of a user, and waits until none is left; returns whether that worked.

    A child becomes that user and lets the kernel signal all that it may signal, at once: faster
    than anything can fork.
    """
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        Child(lambda _: _end_others(user)).wait()
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
    """Returns whether a user has processes, zombies among them."""
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
    serve_settings(settings, os.fdopen(requests, "rb"), answers)


if __name__ == "__main__":
    main()

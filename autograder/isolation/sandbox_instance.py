"""The inside of a submission's world: its walls, its first process, and what that answers."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import signal
from collections.abc import Mapping
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

from autograder.isolation.confine import (
    KEYRING,
    PR_SET_DUMPABLE,
    Limits,
    become,
    confine,
    set_limits,
)
from autograder.isolation.loading import load_alone
from autograder.isolation.namespaces import enter, private_folders, read_only
from autograder.running import channel
from autograder.running.children import Child, die_with_parent, serve, write_all
from autograder.running.compiling import compile_files
from autograder.running.process import prctl
from autograder.running.worker import in_child
from autograder.source.submission import Tree
from autograder.source.syntax import PACKAGE

NOBODY = 65534
HOME = Path("/tmp/submission")
CHUNK = 2**20
LIMITS = Limits()
HANDOUT: dict[tuple[str, str], CodeType] = {}
"""Codes of the handout's files, as `Tree.codes` has them: no submission need compile these."""


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


def keep(files: Files, requests: int, answers: int, number_writer: int) -> None:
    """Raises the walls, starts the first process within them, and ends when that has ended."""
    try:
        if os.getuid() == 0:
            become(NOBODY, NOBODY)
            prctl(PR_SET_DUMPABLE, 1)  # or its own maps of users would belong to root
            die_with_parent()  # forgotten with the old user
        enter()
    except OSError as error:
        _refuse(answers, f"no world of its own: {error}")

    def live(nowhere: int) -> None:
        os.close(nowhere)
        try:
            _live(files, requests, answers)
        except BaseException as error:  # noqa: BLE001  (whoever waits reports it)
            _refuse(answers, f"{type(error).__name__}: {error}")

    first = Child(live, [number_writer])
    os.write(number_writer, str(first.pid).encode())
    for fd in (number_writer, requests, answers, files.fd):
        os.close(fd)
    first.wait()


def _refuse(answers: int, why: str) -> None:
    """Reports that this process will not run a student's code, and ends it."""
    write_all(answers, channel.pack(refused=why))
    os._exit(1)


def _live(files: Files, requests: int, answers: int) -> None:
    """Gives up every right, and answers requests until there are no more."""
    try:
        Path("/proc/self/oom_score_adj").write_text("1000")
        set_limits(LIMITS)
        private_folders()
        package = _unpack(files.read())
        for place in [package, *(file for file in HOME.iterdir() if file.is_file())]:
            read_only(place)  # so what a probe judges is what was handed in, and no other probe's
        steps = confine(None)
    except (OSError, RuntimeError) as error:
        _refuse(answers, f"not confined: {error}")
    missing = [step for step in steps if not step.works and step.name != KEYRING]
    if missing:
        _refuse(answers, "; ".join(f"{step.name}: {step.why}" for step in missing))
    load_alone()
    tree = Tree(package)
    tree.codes.update(HANDOUT)
    os.chdir(HOME)  # where students write what they want to look at
    compile_files(tree)
    write_all(answers, channel.pack(ready=True))
    with os.fdopen(requests, "rb") as lines:
        serve(lines, answers, lambda line: _answer(tree, json.loads(line), (requests, answers)))


def _answer(tree: Tree, request: dict[str, Any], private: tuple[int, ...]) -> bytes:
    """Runs a probe in a child, and ends whatever that has left behind."""
    message = in_child(tree, request, private)
    _end_others()
    return message


def _unpack(files: Mapping[str, bytes]) -> Path:
    """Writes a submission's files; returns its package's folder."""
    package = HOME / PACKAGE
    package.mkdir(parents=True)
    for path, data in files.items():
        file = Path(os.path.normpath(package / path))
        if not file.is_relative_to(HOME):
            continue
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

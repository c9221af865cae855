"""Gradescope's folders, and submissions that mean harm."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from autograder.base.checks import checks
from tests.autograder.corpus import write, wrong
from tests.autograder.gradescope_contract import validate
from tests.autograder.judging import PRIVATE


def points_of(homework: str) -> dict[str, int]:
    """Returns the points of each check of a homework that Gradescope shows."""
    return {check.id: check.points for check in checks(homework)}


FORMULA = checks("hw3")
POINTS = points_of("hw3")
SEED = PRIVATE

HOSTILE = """
import contextlib, ctypes, os, signal, socket, time
base, reached = BASE, []
def attempt(what, name):
    with contextlib.suppress(Exception):
        what()
        reached.append(name)
for folder in ("source", "results", "submission"):
    for top, folders, names in os.walk(os.path.join(base, folder)):
        reached.extend(folders + names)
for name in ("source/settings.json",
             "source/grader/autograder/misconceptions/stories.py",
             "submission_metadata.json", "results/results.json"):
    attempt(lambda: open(os.path.join(base, name)).read(), "read " + name)
attempt(lambda: open(base + "/results/results.json", "w").write("{}"), "write results")
attempt(lambda: os.rename(base + "/results", base + "/old"), "replace results")
attempt(lambda: __import__("autograder.misconceptions.stories"), "import answers")
attempt(lambda: os.kill(os.getppid(), 0), "signal")
attempt(lambda: open(f"/proc/{os.getppid()}/environ").read(), "parent's environment")
attempt(lambda: socket.create_connection(("127.0.0.1", 9), 1), "network")
attempt(lambda: os.setuid(0), "root")
raise RuntimeError(f"reached: {reached}")
"""
DAEMON = """
import ctypes, os, signal, time
reading, writing = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        ctypes.CDLL(None).prctl(15, b"cs285-" + BASE[-8:].encode())
        os.write(writing, b"x")
        while True:
            try:
                open(BASE + "/results/results.json", "w").write("{}")
            except OSError:
                time.sleep(0.01)
    os._exit(0)
os.read(reading, 1)
raise RuntimeError("the daemon is alive")
"""
TALKS = "raise RuntimeError('\\x1b[31m<script>alert(1)</script>\\0\\ud800' + 'x' * 10**6)"
BODIES = {
    "hw3.argmax.action": HOSTILE,
    "hw3.dqn.targets": DAEMON,
    "hw3.critic.update": "import os\nos._exit(0)",
    "hw3.ac.train": TALKS,
    "hw3.trainer.collect": "import sys\nsys.exit(0)",
}


def survivors(layout: Layout) -> list[str]:
    """Returns the processes that the daemon of a layout has left; others run beside it."""
    found = []
    for comm in Path("/proc").glob("[0-9]*/comm"):
        try:
            name = comm.read_text().strip()
        except OSError:
            continue
        found += [comm.parent.name] if name == f"cs285-{layout.base.name[-8:]}" else []
    return found


def command_lines() -> Iterator[str]:
    """Yields how each process was started."""
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has just ended
            yield file.read_bytes().decode(errors="replace")


def all_may_read(path: Path) -> bool:
    return all(folder.stat().st_mode & 0o005 == 0o005 for folder in path.resolve().parents)


def python_for_others() -> str | None:
    """Returns a Python of this version, with our packages, that every user may run."""
    if all_may_read(Path(sys.executable)):
        return sys.executable
    return shutil.which(f"python3.{sys.version_info[1]}", path="/usr/local/bin:/usr/bin")


class Layout:
    """Gradescope's folders, in a place that everyone may enter."""

    def __init__(self, base: Path, source: dict[str, str | bytes], homework: str) -> None:
        self.base = base
        self.rights: list[str] = []
        """A command that takes rights away from what it runs."""
        for folder in ("source", "submission", "results", "tmp"):
            (base / folder).mkdir()
        for path, content in source.items():
            file = base / "source" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
        settings = {"homework": homework, "seed": SEED}
        (base / "source" / "settings.json").write_text(json.dumps(settings))
        (base / "submission_metadata.json").write_text(json.dumps(METADATA))

    @property
    def results(self) -> Path:
        return self.base / "results" / "results.json"

    def python(self) -> str:
        """Returns the Python that is used in place of that of setup.sh."""
        found = python_for_others()
        if found is None:
            pytest.skip("no Python here that another user may run")
        if not all_may_read(Path(pytest.__file__)):
            pytest.skip("another user may not read the packages of this Python")
        if found == sys.executable:
            return found
        wrapper = self.base / "python"
        packages = [place for place in sys.path if "-packages" in place]
        wrapper.write_text(
            f'#!/bin/sh\nPYTHONPATH="{os.pathsep.join(packages)}" exec {found} "$@"\n'
        )
        wrapper.chmod(0o755)
        return str(wrapper)

    def replace(self, module: str, *lines: str) -> None:
        """Adds lines to the end of a module of the grader, which replace what it defines."""
        file = self.base / "source" / "grader" / "autograder" / module
        file.write_text("\n".join([file.read_text(), *lines, ""]))

    def start(self) -> subprocess.Popen[str]:
        environment = {
            "PATH": os.defpath,
            "TMPDIR": str(self.base / "tmp"),
            "AUTOGRADER_BASE": str(self.base),
            "AUTOGRADER_PYTHON": self.python(),
        }
        return subprocess.Popen(
            [*self.rights, "bash", str(self.base / "source" / "run_autograder")],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def wait_for_the_box(self, seconds: float) -> bool:
        """Waits until no process was started with a path in here; returns whether that came."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if not any(str(self.base) in line for line in command_lines()):
                return True
            time.sleep(0.02)
        return False

    def grade(self, status: int = 0) -> dict[str, Any]:
        """Runs run_autograder; returns the content of results.json, validated."""
        with self.start() as process:
            output, _ = process.communicate(timeout=400)
        assert process.returncode == status, output + self.results.read_text()
        return validate(self.results.read_bytes())


DOCKER = (
    "chown", "dac_override", "fowner", "fsetid", "kill", "setgid", "setuid", "setpcap",
    "net_bind_service", "net_raw", "sys_chroot", "mknod", "audit_write", "setfcap",
)  # fmt: skip
METADATA = {
    "id": 1,
    "created_at": "2026-03-02T01:00:00.000000-08:00",
    "assignment": {"due_date": "2026-03-01T23:00:00.000000-08:00", "total_points": "100.0"},
    "users": [{"email": "a@example.org", "id": 1, "name": "A"}],
}


@contextmanager
def laid_out(source: dict[str, str | bytes], homework: str = "hw3") -> Iterator[Layout]:
    if os.geteuid() != 0:
        pytest.skip("only root can let another user run a student's code")
    # All boxes are one user's, whose processes are counted together: one test takes them all.
    alone = FileLock(Path(tempfile.gettempdir()) / "cs285-test-gradescope.lock")
    with alone, tempfile.TemporaryDirectory(prefix="cs285-test-gradescope-") as folder:
        Path(folder).chmod(0o755)
        yield Layout(Path(folder), source, homework)


def by_id(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {test["extra_data"]["id"]: test for test in found["tests"]}


def points(found: dict[str, Any]) -> dict[str, int]:
    return {name: test["score"] for name, test in by_id(found).items()}


def hand_in_the_hostile(layout: Layout) -> None:
    bodies = {blank: body.replace("BASE", repr(str(layout.base))) for blank, body in BODIES.items()}
    entries = [wrong("", blank, "whatever", body=body) for blank, body in bodies.items()]
    write(layout.base / "submission", entries)


def assert_nothing_gained(found: dict[str, Any], layout: Layout) -> None:
    assert survivors(layout) == []
    assert points(found) == {**POINTS, **dict.fromkeys(BODIES, 0)}
    tests = by_id(found)
    assert "reached: []" in tests["hw3.argmax.action"]["output"]
    assert "the daemon is alive" in tests["hw3.dqn.targets"]["output"]  # it was, then
    assert "<script>" in tests["hw3.ac.train"]["output"]
    assert sorted(os.listdir(layout.base / "results")) == ["results.json"]
    assert list((layout.base / "tmp").iterdir()) == []

"""The judge's side of a box without namespaces: a worker whose probes run as another user."""

from __future__ import annotations

import json
import os
import pwd
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from autograder.gradescope.other_user_inside import NECESSARY, Settings, has_processes
from autograder.isolation.confine import Protection
from autograder.isolation.sandbox_client import (
    SYSTEM,
    SYSTEM_FILES,
    SandboxError,
    environment,
    python_folders,
)
from autograder.running import channel, worker
from autograder.running.session import START_SECONDS, Worker
from autograder.source import PACKAGE, ROOT
from autograder.source.handout_files import modules, probe_tree, write

BOX = "autograder.gradescope.other_user_inside"
USERS = range(61000, 65000)
READABLE = (
    *SYSTEM,
    *SYSTEM_FILES,
    "/etc/passwd",
    "/etc/group",
    "/etc/nsswitch.conf",
    "/etc/fonts",
    "/proc",
    "/sys/devices/system",
    "/dev/urandom",
    "/dev/zero",
)
TRIAL_SECONDS = 20.0


class OtherUser(Worker):
    """A box for one submission, in which another user runs it."""

    def __init__(self, homework: str) -> None:
        """Builds the box for a homework's probes, with nothing in it.

        Raises:
            SandboxError: If this is not root's process, or no user is free.
        """
        self.folder = Path(tempfile.mkdtemp(prefix="cs285-box-"))
        try:
            self.settings = self._settings()
            for path, text in {**probe_tree(homework), **modules([BOX])}.items():
                write(self.folder / "tree" / path, text)
            self.open({})
            super().__init__(self._command(), self._environment())
        except BaseException:
            shutil.rmtree(self.folder)
            raise

    def _settings(self) -> Settings:
        read = [*READABLE, *map(str, python_folders()), *_packages()]
        return Settings(
            user=free_user(),
            package=str(self.folder / "submission" / PACKAGE),
            scratch=str(self.folder / "scratch"),
            read=(*read, str(self.folder / "tree"), str(self.folder / "submission")),
        )

    def _command(self) -> list[str]:
        # It starts in the public tree: Python looks for modules where it is started.
        start = ["env", f"--chdir={self.folder / 'tree'}", sys.executable, "-s", "-m", BOX]
        return [*start, json.dumps(asdict(self.settings))]

    def _environment(self) -> dict[str, str]:
        path = os.pathsep.join([str(self.folder / "tree"), *_packages()])
        scratch = self.settings.scratch
        return {**environment(), "PYTHONPATH": path, "HOME": scratch, "TMPDIR": scratch}

    def open(self, files: Mapping[str, bytes]) -> None:
        """Takes a submission's files, by path within `cs285`, in place of those before.

        Raises:
            OSError: If they cannot be written.
        """
        self.files = dict(files)
        package = Path(self.settings.package)
        shutil.rmtree(package.parent, ignore_errors=True)
        package.mkdir(parents=True)
        for path, data in files.items():
            file = package / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        self._let_all_read()

    def _let_all_read(self) -> None:
        """Opens what is in the box to the other user, whatever this one's habits are."""
        self.folder.chmod(0o755)
        let_all_read(self.folder / "tree")
        let_all_read(self.folder / "submission")

    def try_walls(self, forbidden: Sequence[Path]) -> list[Protection]:
        """Tests the box from within.

        Args:
            forbidden: What must be out of reach there.

        Returns:
            What was done to close it, and whether that works here.

        Raises:
            SandboxError: If the box is not closed, or cannot be tested.
        """
        ours = self.folder / "tree" / Path(worker.__file__).relative_to(ROOT)
        # Packages are loaded before the user changes, but they load more of themselves later.
        needed = [sys.executable, str(ours), *_packages()]
        paths = [*map(str, forbidden), *needed]
        self._send({"reach": paths, "limit": TRIAL_SECONDS})
        message = self._receive(START_SECONDS)
        note = channel.unpack(message)[1] if message else {}
        if "steps" not in note:
            raise SandboxError(f"the box cannot be tested: {note.get('ended', 'no answer')}")
        found = [Protection(*step) for step in note["steps"]]
        _refuse_unless_closed(found, set(note["reached"]) & set(map(str, forbidden)))
        for path in needed:
            if path not in note["reached"]:
                raise SandboxError(f"another user cannot read {path}, and so cannot run Python")
        return found

    def end(self) -> None:
        """Ends the box, with all that lives in it, for good."""
        self.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def let_all_read(folder: Path) -> None:
    """Opens a folder to other users."""
    folder.chmod(0o755)
    for entry in folder.rglob("*"):
        entry.chmod(0o755 if entry.is_dir() else 0o644)


def _refuse_unless_closed(found: Sequence[Protection], reached: set[str]) -> None:
    """Raises if a box lacks a wall without which nothing may run in it."""
    missing = [step for step in found if step.name in NECESSARY and not step.works]
    if missing:
        reasons = "; ".join(f"{step.name}: {step.why}" for step in missing)
        raise SandboxError(f"the box is not closed: {reasons}")
    if reached:
        raise SandboxError(f"the box is not closed: {', '.join(sorted(reached))} can be reached")


def free_user() -> int:
    """Returns the number of a user without name and without processes.

    Raises:
        SandboxError: If there is none, or this is not root's process.
    """
    if os.geteuid() != 0:
        raise SandboxError("only root can let another user run a student's code")
    named = {entry.pw_uid for entry in pwd.getpwall()}
    for number in USERS:
        if number not in named and not has_processes(number):
            return number
    raise SandboxError(f"every user from {USERS[0]} to {USERS[-1]} has processes")


def _packages() -> list[str]:
    """Returns where this Python's packages are, besides its own folders."""
    return [place for place in sys.path if "-packages" in place]

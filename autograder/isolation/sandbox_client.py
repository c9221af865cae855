"""The judge's side of the box: bubblewrap around a warm process without answers.

There are three walls. bubblewrap's: a system that can only be read, no network, no other processes,
no home folders, an empty environment. Besides Python and its libraries, only the worker, the probes
and the handout's cs285 are in there. The second is each submission's own (`sandbox_instance`):
namespaces, no rights, limits, and the user nobody if this is root. The third is a fork a probe.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import shutil
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from autograder.base.checks import Check
from autograder.running import channel
from autograder.running.children import write_all
from autograder.running.session import START_SECONDS, Worker, WorkerError
from autograder.source import ROOT
from autograder.source.handout_files import probe_tree

PROGRAM = "bwrap"
TREE = "/grader"
PACKAGES = ("autograder", "cs285", "scripts", "studies")  # as pip installs them
SELF_TEST_SECONDS = 10.0
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/alternatives")
SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/localtime")
RIGHTS = ("CAP_SETUID", "CAP_SETGID", "CAP_KILL")
"""Rights that root's box keeps, to become nobody and to end what nobody started."""


class SandboxError(WorkerError):
    """The box cannot be built here; the message says why."""


class Sandbox(Worker):
    """A box in which one submission after the other is probed."""

    def __init__(self, homework: str) -> None:
        """Builds a box for a homework's probes.

        Raises:
            SandboxError: If bubblewrap is not there.
        """
        if shutil.which(PROGRAM) is None:
            raise SandboxError("bubblewrap is not installed; on Debian: apt install bubblewrap")
        self.tree = probe_tree(homework)
        self.files = None
        super().__init__((), {"PATH": os.defpath})

    def open(self, files: Mapping[str, bytes]) -> None:
        """Takes a submission's files, by path within `cs285`, in place of the one before.

        Raises:
            SandboxError: If its walls cannot be raised.
        """
        self.files = None
        plain = {path: base64.b64encode(data).decode() for path, data in files.items()}
        body = json.dumps(plain).encode()
        self._send({"open": len(body)}, body)
        message = self._receive(START_SECONDS)
        if message is None:
            raise SandboxError("the sandbox did not answer; does bubblewrap work here?")
        _, note = channel.unpack(message)
        if "ready" not in note:
            why = note.get("refused") or note.get("ended")
            raise SandboxError(f"the sandbox is not closed: {why}")
        self.files = files

    def _lost(self) -> None:
        if self.files is not None:
            self.open(self.files)

    def _start(self, inherited: Sequence[int] = ()) -> None:
        with contextlib.ExitStack() as stack:
            places = {f"{TREE}/{path}": in_memory(text) for path, text in self.tree.items()}
            for fd in places.values():
                stack.callback(os.close, fd)
            self.command = command(places)
            super()._start([*places.values()])
        self._lost()  # with the box before this one, if there was one

    def end(self) -> None:
        """Ends the box, with all that lives in it, for good."""
        self.close()


def open_walls(box: Sandbox) -> list[str]:
    """Tests a box from within, as a student's code would.

    Returns:
        What should be impossible in there, and is not.

    Raises:
        SandboxError: If it cannot be tested.
    """
    box.open({})
    check = Check("selftest", "", 0, (), "isolation.escapes:attempts")
    seen = box.see(check, 0, SELF_TEST_SECONDS)
    found = seen.of("escapes")
    if seen.ended or seen.crashes or not found:
        raise SandboxError(f"the sandbox's self-test did not end: {seen.ended or seen.crashes}")
    return [name for name, escaped in found.items() if escaped != 0]


def in_memory(text: str) -> int:
    """Opens a file that is on no disk, so that nothing of it stays, whatever ends this process."""
    fd = os.memfd_create("probe")
    write_all(fd, text.encode())
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def command(tree: Mapping[str, int]) -> list[str]:
    """Returns the command that runs the box on files of ours: path in the box -> open file."""
    walls = [PROGRAM, "--die-with-parent", "--new-session", "--hostname", "box", "--clearenv"]
    walls += [f"--unshare-{kind}" for kind in ("ipc", "pid", "net", "uts", "cgroup-try")]
    if os.getuid() == 0:
        walls += ["--cap-drop", "ALL", *(word for right in RIGHTS for word in ("--cap-add", right))]
    else:
        walls += ["--unshare-user"]
    for name, value in environment().items():
        walls += ["--setenv", name, value]
    walls += [*system_folders(), "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
    for folder in sorted({str(parent) for path in tree for parent in Path(path).parents[:-1]}):
        walls += ["--perms", "0755", "--dir", folder]
    for path, fd in tree.items():
        walls += ["--perms", "0644", "--file", str(fd), path]
    walls += ["--chdir", TREE, "--remount-ro", "/dev", "--remount-ro", "/"]
    python = [str(inside(Path(sys.executable))), "-s", "-m"]
    return [*walls, *python, "autograder.isolation.sandbox_inside"]


def environment() -> dict[str, str]:
    """Returns the box's environment: nothing of this one's."""
    threads = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "OPENBLAS")}
    return {
        "PATH": os.defpath,
        "HOME": "/tmp",
        "LANG": "C.UTF-8",
        "PYTHONPATH": TREE,
        "PYTHONDONTWRITEBYTECODE": "1",
        "MPLBACKEND": "Agg",
        "SDL_VIDEODRIVER": "dummy",
        **threads,
    }


def system_folders() -> Iterator[str]:
    """Yields bubblewrap's words for what can be read: the system, Python and its libraries."""
    yield from ("--perms", "0755", "--dir", "/etc")  # else only root could enter it
    for name in SYSTEM:
        folder = Path(name)
        if folder.is_symlink():
            yield from ("--symlink", str(folder.readlink()), name)
        elif folder.exists():
            yield from ("--ro-bind", name, name)
    for name in SYSTEM_FILES:
        yield from ("--ro-bind-try", name, name)
    yield from _python()


def _python() -> Iterator[str]:
    """Yields bubblewrap's words that show Python's folders, and nothing of ours beside."""
    folders = python_folders()
    within = [f for f in folders if any(folder in f.parents for folder in hidden())]
    for folder in folders:
        if folder not in within:
            yield from bind(folder)
    yield from cover()
    for folder in within:
        yield from bind(folder)


def bind(folder: Path) -> Iterator[str]:
    """Yields bubblewrap's words that show a folder of Python's."""
    for parent in reversed(inside(folder).parents[:-1]):  # else only root could pass them
        yield from ("--perms", "0755", "--dir", str(parent))
    yield from ("--ro-bind", str(folder), str(inside(folder)))


def cover() -> Iterator[str]:
    """Yields bubblewrap's words that hide what is ours, where it lies in a folder that is shown."""
    bound = [Path("/usr"), *python_folders()]
    for own in hidden():
        if any(folder in own.parents for folder in bound):
            yield from ("--perms", "0755", "--tmpfs", str(inside(own)))


def hidden() -> list[Path]:
    """Returns the folders that the box does not show: they know answers.

    It is this checkout. Where pip has installed us, the libraries lie beside us, and have to be
    seen: then it is our packages alone.
    """
    if (ROOT / "setup.py").is_file():
        return [ROOT]
    return [ROOT / name for name in PACKAGES if (ROOT / name).is_dir()]


def inside(path: Path) -> Path:
    """Returns where something of Python's is in the box: out of the way of its private folders."""
    return Path("/python", *path.parts[1:]) if path.is_relative_to("/tmp") else path


def python_folders() -> list[Path]:
    """Returns the folders of this Python outside of the system's.

    None lies within another, but for those within what is hidden.
    """
    places = {sys.prefix, sys.base_prefix, sys.exec_prefix, *sysconfig.get_paths().values()}
    places.add(str(Path(sys.executable).resolve().parent.parent))
    places |= {place for place in sys.path if "-packages" in place}
    real = sorted({Path(place) for place in places if Path(place).is_dir()})
    chosen: list[Path] = []
    for folder in real:
        if folder not in hidden() and not _is_shown(folder, [Path("/usr"), *chosen]):
            chosen.append(folder)
    return chosen


def _is_shown(folder: Path, shown: Sequence[Path]) -> bool:
    """Returns whether a folder can be seen within others, where `cover` hides what is ours."""
    for above in shown:
        covered = any(above in own.parents and own in folder.parents for own in hidden())
        if folder.is_relative_to(above) and not covered:
            return True
    return False

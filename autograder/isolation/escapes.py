"""Attempts that must fail in the sandbox, made there: the probe of its self-test.

It runs as a student's code would. Each attempt records 1 if it succeeded.
"""

from __future__ import annotations

import ctypes
import functools
import os
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from autograder.running.probing import Student

ANSWERS = (
    "cs285/*",
    "autograder/source/reference.zip",
    "autograder/homeworks/*/blanks/*.toml",
    "autograder/homeworks/*/stories/*.toml",
)
CANARY = "CS285_CANARY"
"""Set in the judge's environment, which must not be seen in the box."""


def attempts(student: Student, seed: int) -> None:
    """Tries every escape; records which succeeded, by name."""

    def experiment(record: dict[str, Any]) -> None:
        for name, attempt in ATTEMPTS.items():
            record[name] = int(succeeds(attempt))

    student.try_out("escapes", experiment)


def succeeds(attempt: Callable[[], object]) -> bool:
    """Returns whether an attempt found, or could do, what it wanted."""
    try:
        return bool(attempt())
    except Exception:  # noqa: BLE001  (whatever stopped it, it was stopped)
        return False


def reach_network() -> bool:
    """Opens a socket."""
    socket.socket(socket.AF_INET, socket.SOCK_STREAM).close()
    return True


def talk_to_neighbours() -> bool:
    """Opens a socket that other processes could find by name."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("\0cs285")
    return True


def see_processes() -> bool:
    """Looks for processes that are not of its own world."""
    numbers = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return any(number > 100 for number in numbers) or len(numbers) > 10


def read_the_judges_environment() -> bool:
    """Looks for what the judge has in its environment."""
    places = [Path(f"/proc/{pid}/environ") for pid in ("self", os.getppid(), 1)]
    texts = [place.read_bytes() for place in places if place.exists() and readable(place)]
    return CANARY in os.environ or any(CANARY.encode() in text for text in texts)


def read_answers() -> bool:
    """Looks for the answers, and for a solved cs285, wherever modules come from."""
    here = Path(__file__).parents[2]
    folders = [Path(place) for place in sys.path if place and Path(place).is_dir()]
    return any(list(folder.glob(name)) for folder in {here, *folders} for name in ANSWERS)


def write_outside() -> bool:
    """Writes a file where another submission could find it."""
    folders = ["/", "/dev", "/grader", "/usr", "/etc", "/var/tmp", "/run", sys.prefix]
    return any(succeeds(functools.partial(write_in, Path(folder))) for folder in folders)


def write_in(folder: Path) -> bool:
    """Writes a file in a folder."""
    file = folder / "cs285-escape"
    file.write_text("x")
    file.unlink()
    return True


def find_others_files() -> bool:
    """Looks for files in the folders that everyone may write."""
    allowed = {"submission"}
    return any({entry.name for entry in Path(p).iterdir()} - allowed for p in ("/tmp", "/dev/shm"))


def gain_rights() -> bool:
    """Enters another namespace of users, or becomes root."""
    return succeeds(become_root) or ctypes.CDLL(None).unshare(ctypes.c_int(0x10000000)) == 0


def become_root() -> bool:
    """Becomes root."""
    os.setuid(0)
    return True


def signal_the_judge() -> bool:
    """Ends the process that started it."""
    os.kill(os.getppid(), signal.SIGSTOP)
    return Path(f"/proc/{os.getppid()}/status").read_text().split("State:")[1].split()[0] == "T"


def read_memory() -> bool:
    """Opens the memory of the process that started it."""
    return readable(Path(f"/proc/{os.getppid()}/mem"))


def run_forever() -> bool:
    """Looks for a limit of processor time."""
    import resource

    return resource.getrlimit(resource.RLIMIT_CPU)[1] == resource.RLIM_INFINITY


def readable(file: Path) -> bool:
    """Returns True if a file can be opened, and raises otherwise."""
    with file.open("rb"):
        return True


ATTEMPTS: dict[str, Callable[[], object]] = {
    "network": reach_network,
    "abstract sockets": talk_to_neighbours,
    "other processes": see_processes,
    "the judge's environment": read_the_judges_environment,
    "answers or solutions": read_answers,
    "files outside": write_outside,
    "files of others": find_others_files,
    "new rights": gain_rights,
    "signals to the judge": signal_the_judge,
    "memory of the judge": read_memory,
    "unlimited time": run_forever,
}

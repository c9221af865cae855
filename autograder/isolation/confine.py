"""Steps by which a process confines itself, on Linux, before it runs code that nobody has read.

Nothing here needs a namespace. Each step narrows what the process, and all that come of it, may
do; none can be taken back. Steps that the kernel does not offer are reported, and whoever asked
decides whether the rest is enough.
"""

from __future__ import annotations

import ctypes
import errno
import os
import resource
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.isolation.kernel import machine, system_call, threads
from autograder.isolation.landlock import restrict_files
from autograder.isolation.seccomp import deny_system_calls
from autograder.running.process import prctl

GRACE = 1  # seconds of processor time between a signal that can be caught and one that cannot

PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 4, 24, 38, 47
PR_CAP_AMBIENT_CLEAR_ALL = 4
CAPGET, CAPSET, CAPABILITIES_VERSION, MOST_CAPABILITIES = (125, 90), (126, 91), 0x20080522, 64
KEYCTL, JOIN_SESSION_KEYRING = (250, 219), 1

LIMITS, USER, PRIVILEGES = "limits", "separate user", "no new privileges"
CAPABILITIES, KEYRING = "no capabilities", "own keyring"
FILES, SYSTEM_CALLS, MEMORY = "landlock", "seccomp", "memory closed to others"


@dataclass(frozen=True)
class Limits:
    """Limits on what one process may use.

    Attributes:
        memory: Bytes of address space beyond those that it has now: PyTorch alone maps gigabytes.
        cpu: Seconds of processor time.
        processes: Processes and threads of its user, together.
        open_files: Files that are open at the same time.
        file_size: Bytes of the largest file that it writes.
    """

    memory: int = 2 * 2**30
    cpu: int = 60
    processes: int = 64
    open_files: int = 256
    file_size: int = 16 * 2**20


@dataclass(frozen=True)
class Protection:
    """One way to confine a process, and whether it works here."""

    name: str
    works: bool = True
    why: str = ""
    """How far it goes, or why it does not work."""


def confine(
    limits: Limits | None,
    user: tuple[int, int] | None = None,
    read: Sequence[Path] | None = None,
    write: Sequence[Path] = (),
) -> list[Protection]:
    """Takes every step that the kernel offers, in the order in which they are possible.

    Args:
        limits: What the process may use; None: they are set already.
        user: Its user and group from now on; only root can choose. None: they stay.
        read: What it may read and run, by Landlock; None: whatever its user may.
        write: What it may also write; means nothing without `read`.

    Returns:
        Each step, and whether it was taken. Look at it before going on.

    Raises:
        RuntimeError: If the process has several threads: most steps hold only for one of them.
    """
    if threads() > 1:
        raise RuntimeError("a process with several threads cannot be confined")
    steps: list[tuple[str, Callable[[], object]]] = [(KEYRING, own_keyring)]
    if limits is not None:
        steps.append((LIMITS, lambda: set_limits(limits)))
    steps.append((PRIVILEGES, no_new_privileges))
    if user is not None:
        steps.append((USER, lambda: become(*user)))
    steps.append((CAPABILITIES, drop_capabilities))
    if read is not None:
        steps.append((FILES, lambda: f"version {restrict_files(read, write)}"))
    steps += [(MEMORY, undumpable), (SYSTEM_CALLS, deny_system_calls)]
    return [_taken(name, step) for name, step in steps]


def _taken(name: str, step: Callable[[], object]) -> Protection:
    """Takes a step, and reports what came of it."""
    try:
        return Protection(name, True, str(step() or ""))
    except OSError as error:
        return Protection(name, False, error.strerror or str(error))


def set_limits(limits: Limits) -> None:
    """Sets limits that cannot be raised again; those that are lower stay.

    Raises:
        OSError: If the size of this process cannot be read.
    """
    own = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    _lower(resource.RLIMIT_AS, own + limits.memory)
    _lower(resource.RLIMIT_CPU, limits.cpu, GRACE)
    _lower(resource.RLIMIT_NPROC, limits.processes)
    _lower(resource.RLIMIT_NOFILE, limits.open_files)
    _lower(resource.RLIMIT_FSIZE, limits.file_size)
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_MEMLOCK, 0)
    _lower(resource.RLIMIT_MSGQUEUE, 0)


def _lower(which: int, value: int, grace: int = 0) -> None:
    """Lowers one limit; the hard one is `grace` above the other."""
    soft, hard = (
        bound if present == resource.RLIM_INFINITY else min(bound, present)
        for bound, present in zip((value, value + grace), resource.getrlimit(which), strict=True)
    )
    resource.setrlimit(which, (min(soft, hard), hard))


def no_new_privileges() -> None:
    """Makes sure that no program it runs has more rights than this process: no setuid.

    Raises:
        OSError: If the kernel does not know how.
    """
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    for capability in range(MOST_CAPABILITIES):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError:  # there are no more of them, or there never was a right to change them
            break


def become(uid: int, gid: int) -> None:
    """Becomes another user, who belongs to no other group; there is no way back.

    Raises:
        OSError: If this is not root's process, or the change did not last.
    """
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)
    if os.getresuid() != (uid, uid, uid) or os.getresgid() != (gid, gid, gid) or os.getgroups():
        raise OSError(errno.EPERM, "the user did not change")


def drop_capabilities() -> None:
    """Gives up root's rights, those in reserve as well.

    Raises:
        OSError: If some remain.
    """
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    column = machine()
    head = (ctypes.c_uint32 * 2)(CAPABILITIES_VERSION, 0)
    none = (ctypes.c_uint32 * 6)()  # effective, permitted and inheritable, twice 32 of each
    system_call(CAPSET[column], head, none)
    system_call(CAPGET[column], head, none)
    if any(none):
        raise OSError(errno.EPERM, "some capabilities remain")


def own_keyring() -> None:
    """Leaves the keyring of whoever started this process for an empty one.

    Raises:
        OSError: If the kernel has no keyrings, or they are forbidden, as in many containers.
    """
    system_call(KEYCTL[machine()], JOIN_SESSION_KEYRING, None)


def undumpable() -> None:
    """Closes this process's memory to others of the same user, and to core dumps.

    Raises:
        OSError: If the kernel does not know how.
    """
    prctl(PR_SET_DUMPABLE, 0)

"""Landlock: a process that gives up, for good, all files but those it names.

Unlike namespaces it needs no privilege and no mount, so it works in containers where those do not.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from autograder.isolation.kernel import system_call

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same on every machine
ASK_VERSION, RULE_PATH = 1, 1

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
MAKE_CHAR, MAKE_BLOCK, TRUNCATE, IOCTL_DEVICE = 1 << 6, 1 << 11, 1 << 14, 1 << 15
RIGHTS = (0, 13, 14, 15, 15, 16)  # how many rights about files each version knows
NETWORK_VERSION, BIND_AND_CONNECT = 4, 0b11
SCOPES_VERSION, ABSTRACT_SOCKETS_AND_SIGNALS = 6, 0b11

READ = EXECUTE | READ_FILE | READ_DIR
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEVICE  # not only of folders
NEVER = MAKE_CHAR | MAKE_BLOCK


class _Ruleset(ctypes.Structure):
    """`struct landlock_ruleset_attr`, as the newest version known here has it."""

    _fields_ = (
        ("files", ctypes.c_uint64),
        ("network", ctypes.c_uint64),
        ("scopes", ctypes.c_uint64),
    )


class _Beneath(ctypes.Structure):
    """`struct landlock_path_beneath_attr`."""

    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def version() -> int:
    """Returns the version of Landlock's interface.

    Raises:
        OSError: If the kernel has none, or it is switched off.
    """
    return system_call(CREATE_RULESET, None, 0, ASK_VERSION)


def restrict_files(read: Sequence[Path], write: Sequence[Path]) -> int:
    """Gives up all files but those at or below some paths; those of other processes as well.

    Newer kernels also refuse TCP, abstract sockets and signals to processes outside.
    `no_new_privileges` comes first. Files that are open stay open.

    Args:
        read: What may be read and run. Paths that do not exist are left out.
        write: What may be read, written, made and removed.

    Returns:
        The version of Landlock's interface, which decides how much it covers.

    Raises:
        OSError: If the kernel has no Landlock.
    """
    found = version()
    every = (1 << RIGHTS[min(found, len(RIGHTS) - 1)]) - 1
    network = BIND_AND_CONNECT if found >= NETWORK_VERSION else 0
    scopes = ABSTRACT_SOCKETS_AND_SIGNALS if found >= SCOPES_VERSION else 0
    rules = _Ruleset(every, network, scopes)
    size = 24 if scopes else 16 if network else 8
    ruleset = system_call(CREATE_RULESET, ctypes.byref(rules), size, 0)
    try:
        for path in read:
            _allow(ruleset, path, READ & every)
        for path in write:
            _allow(ruleset, path, every & ~NEVER)
        system_call(RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)
    return found


def _allow(ruleset: int, path: Path, rights: int) -> None:
    """Adds a path to a set of rules."""
    with _opened(path) as parent:
        if parent is None:
            return
        if not path.is_dir():
            rights &= OF_FILES
        rule = _Beneath(rights, parent)
        system_call(ADD_RULE, ruleset, RULE_PATH, ctypes.byref(rule), 0)


@contextmanager
def _opened(path: Path) -> Iterator[int | None]:
    """Opens a path without a right to what is in it; yields None if it does not exist."""
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        yield None
        return
    try:
        yield fd
    finally:
        os.close(fd)

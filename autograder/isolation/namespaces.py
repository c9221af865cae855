"""Walls around one submission: namespaces that a process enters without any program.

bubblewrap builds the walls around the process that has torch in memory. Each submission gets
further walls inside these, and they must be raised in a process that is forked, since a new program
would have to import torch again.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

from autograder.running.process import c_call

NEWNS, NEWUTS, NEWIPC = 0x00020000, 0x04000000, 0x08000000
NEWUSER, NEWPID, NEWNET = 0x10000000, 0x20000000, 0x40000000
ALL = NEWNS | NEWUTS | NEWIPC | NEWUSER | NEWPID | NEWNET
READ_ONLY, REMOUNT, BIND = 1, 32, 4096
NOSUID, NODEV, NOEXEC = 2, 4, 8
SIZE = "size=64m,nr_inodes=4096,mode=1777"


def enter() -> None:
    """Enters new namespaces of every kind; the next child is the first of its own world.

    Its user stays the same number, without any right outside.

    Raises:
        OSError: If the kernel, or whoever runs it, does not allow that.
    """
    uid, gid = os.getuid(), os.getgid()
    c_call("unshare", ctypes.c_int(ALL))
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
    Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")


def private_folders() -> None:
    """Puts empty folders in memory where files may be written, and hides other processes.

    Raises:
        OSError: If they cannot be mounted.
    """
    for folder in (b"/tmp", b"/dev/shm"):
        _mount(b"tmpfs", folder, SIZE.encode())
    try:
        _mount(b"proc", b"/proc", None)
    except OSError:  # where the outer one is masked; an empty one reveals nothing either
        _mount(b"tmpfs", b"/proc", b"size=0,mode=0555")


def read_only(place: Path) -> None:
    """Closes a file or folder for writing, for all that run here.

    Raises:
        OSError: If the kernel does not allow that.
    """
    path = str(place).encode()
    for flags in (BIND, BIND | REMOUNT | READ_ONLY | NOSUID | NODEV | NOEXEC):
        c_call("mount", path, path, None, ctypes.c_ulong(flags), None)


def _mount(kind: bytes, folder: bytes, options: bytes | None) -> None:
    flags = ctypes.c_ulong(NOSUID | NODEV | NOEXEC)
    c_call("mount", kind, folder, kind, flags, options)

"""Leaves a note in System V shared memory, and looks for those of classmates."""

from tests.attacks.crossing._notes import passing

COPIES = 2
AT_IMPORT = passing(
    r"""
import os
import ctypes
libc = ctypes.CDLL(None)

def look():
    libc.shmat.restype = ctypes.c_void_p
    number = libc.shmget(@PORT@, 4096, 0o666)
    if number >= 0:
        return ctypes.string_at(libc.shmat(number, None, 0), 1).decode()

def leave():
    libc.shmat.restype = ctypes.c_void_p
    number = libc.shmget(@PORT@, 4096, 0o1666)
    if number >= 0:
        ctypes.memmove(libc.shmat(number, None, 0), b"@COPY@", 1)
"""
)

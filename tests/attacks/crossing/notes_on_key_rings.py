"""Leaves a note on the kernel's key rings, and looks for those of classmates."""

from tests.attacks.crossing._notes import passing

COPIES = 2
AT_IMPORT = passing(
    r"""
import os
import ctypes
libc = ctypes.CDLL(None)

def look():
    for ring in (-4, -5, -3):
        key = libc.syscall(250, 10, ring, b"user", b"note-@PORT@", 0)
        if key > 0:
            buffer = ctypes.create_string_buffer(8)
            libc.syscall(250, 11, key, buffer, 8)
            return buffer.value.decode()

def leave():
    for ring in (-4, -5, -3):
        libc.syscall(248, b"user", b"note-@PORT@", b"@COPY@", 1, ring)
"""
)

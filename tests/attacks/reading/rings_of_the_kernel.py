"""Asks for a ring in which the kernel itself opens files, past what filters system calls."""

from tests.attacks.suite import ARGMAX_FILE

AT_IMPORT = {
    ARGMAX_FILE: r"""
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)

def loot():
    area = ctypes.create_string_buffer(256)
    ring = libc.syscall(425, 8, area)
    return ["io_uring"] if ring >= 0 else []
"""
}

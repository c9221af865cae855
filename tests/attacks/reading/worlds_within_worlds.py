"""Makes namespaces of its own, in which it is root, and mounts what it likes."""

from tests.attacks.suite import ARGMAX_FILE

AT_IMPORT = {
    ARGMAX_FILE: r"""
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)

def loot():
    found = []
    for flag in (0x10000000, 0x00020000, 0x20000000, 0x40000000, 0x10020000):
        if libc.unshare(flag) == 0:
            found.append(hex(flag))
    if libc.mount(b"proc", b"/tmp", b"proc", 0, None) == 0:
        found.append("mounted")
    return found
"""
}

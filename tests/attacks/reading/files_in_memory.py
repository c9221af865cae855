"""Asks which parts of files are in memory, where others' work has left its traces."""

AT_IMPORT = {
    "policies/argmax_policy.py": r"""
import ctypes, mmap, os

def loot():
    libc, found = ctypes.CDLL(None, use_errno=True), []
    fd = os.open(os.__file__, os.O_RDONLY)
    try:
        if os.preadv(fd, [bytearray(16)], 0, 8):  # RWF_NOWAIT
            found.append("preadv2")
    except OSError:
        pass
    place = ctypes.create_string_buffer(4096)
    if libc.syscall(451, fd, place, place, 0) == 0:
        found.append("cachestat")
    area = mmap.mmap(-1, 4096)
    start = ctypes.addressof(ctypes.c_char.from_buffer(area))
    if libc.syscall(27, ctypes.c_void_p(start), 4096, place) == 0:
        found.append("mincore")
    return found
"""
}

"""Asks the kernel for faults of memory and for events of others' files."""

from tests.attacks.suite import ARGMAX_FILE

AT_IMPORT = {
    ARGMAX_FILE: r"""
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)

def loot():
    found = []
    for name, number, flag in (("userfaultfd", 323, 0), ("fanotify", 300, 0), ("bpf", 321, 0),
                               ("perf_event_open", 298, 0), ("kcmp", 312, 0)):
        if libc.syscall(number, flag, 0, 0, 0, 0) > 2:
            found.append(name)
    return found
"""
}

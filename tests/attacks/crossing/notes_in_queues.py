"""Leaves a note in a POSIX message queue, and looks for those of classmates."""

from tests.attacks.crossing._notes import passing

COPIES = 2
AT_IMPORT = passing(
    r"""
import os
import ctypes
librt = ctypes.CDLL(None)

def look():
    queue = librt.mq_open(b"/note-@PORT@", os.O_RDWR | os.O_NONBLOCK)
    if queue >= 0:
        buffer = ctypes.create_string_buffer(8192)
        return buffer.value.decode() if librt.mq_receive(queue, buffer, 8192, None) > 0 else None

def leave():
    queue = librt.mq_open(b"/note-@PORT@", os.O_CREAT | os.O_RDWR | os.O_NONBLOCK, 0o666, None)
    if queue >= 0:
        librt.mq_send(queue, b"@COPY@", 1, 0)
"""
)

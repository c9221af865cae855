"""What forgers of the worker's messages have in common."""

MESSAGE = r"""
import ctypes, json, os, struct

def plain(note=None, crashes=None, names=(), arrays=()):
    return {"seen": [[dict(names), crashes or {}, [], []]], "arrays": arrays, "note": note or {}}

def message(text, arrays=b"", head=None):
    head = head or {}
    head["__metadata__"] = {"json": text if isinstance(text, str) else json.dumps(text)}
    head = json.dumps(head).encode()
    body = struct.pack("<Q", len(head)) + head + arrays
    return struct.pack("<Q", len(body)) + body

def send(data):
    for fd in range(1, 256):
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(fd, view):]
        except OSError:
            pass
    ctypes.CDLL(None)._exit(0)
"""

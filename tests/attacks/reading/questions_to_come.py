"""Reads the pipe on which the worker gets its questions."""

AT_IMPORT = {
    "policies/argmax_policy.py": r"""
import os, select

def loot():
    found = []
    for pid in {os.getppid(), 1, 2, 3} - {os.getpid()}:
        try:
            names = os.listdir(f"/proc/{pid}/fd")
        except OSError:
            continue
        for name in names:
            path = f"/proc/{pid}/fd/{name}"
            try:
                target = os.readlink(path)
                if not target.startswith(("pipe:", "socket:")):
                    continue
                fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
            except (OSError, ValueError):
                continue
            if select.select([fd], [], [], 0.05)[0] and (data := os.read(fd, 4096)):
                found.append((pid, target, data[:40]))
            os.close(fd)
    return found[:5]
"""
}

"""Locks every file that it can open, and holds them."""

SAYS = "locked"
BODIES = {
    "hw3.argmax.action": r"""
import fcntl, os, sys, time
held = []
for folder in (sys.prefix, "/usr/bin", "/tmp", "/etc", os.path.dirname(os.__file__)):
    for name in os.listdir(folder) if os.access(folder, os.R_OK) else []:
        try:
            file = open(os.path.join(folder, name), "rb")
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            held.append(file)
        except OSError:
            pass
raise RuntimeError(f"locked: {len(held) > 0}")
"""
}

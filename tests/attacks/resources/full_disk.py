"""Writes files until there is no room, wherever it may write."""

SAYS = "stopped: True"
BODIES = {
    "hw3.argmax.action": r"""
import os
limit, written = 3 * 2**30, 0
for place in ("/tmp", "/dev/shm", "/var/tmp", os.getcwd(), os.path.expanduser("~"), "/run", "/"):
    for number in range(1000):
        if written > limit:
            break
        try:
            with open(f"{place}/full-@PORT@-{number}", "wb") as file:
                for _ in range(16):
                    written += file.write(bytes(2**20))
        except OSError:
            break
raise RuntimeError(f"stopped: {written < limit} after {written >> 20} MiB")
"""
}

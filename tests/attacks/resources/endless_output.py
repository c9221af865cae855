"""Prints ten gigabytes."""

SAYS = "printed|no answer|no end|ended"
BODIES = {
    "hw3.argmax.action": r"""
import os
block = b"x" * 2**20
for _ in range(10_000):
    for fd in (1, 2):
        try:
            os.write(fd, block)
        except OSError:
            pass
raise RuntimeError("printed")
"""
}

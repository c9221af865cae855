"""Fills files that live in memory alone, and belong to no process."""

EXPECT = "failed"
BODIES = {
    "hw3.argmax.action": """
import os
block, held = bytes(2**24), []
try:
    for number in range(64):
        held.append(os.memfd_create(f"m{number}"))
        for _ in range(16):
            os.write(held[-1], block)
except OSError:
    raise RuntimeError("memory: bounded") from None
raise RuntimeError("memory: sixteen gigabytes")
""",
}
SAYS = "memory: bounded|ended|no answer"

"""Lets children end, one after the other, without ever asking what became of them."""

SAYS = "stopped: True|no answer|no end"
BODIES = {
    "hw3.argmax.action": r"""
import os
made = 0
try:
    while made < 100_000:
        if os.fork() == 0:
            os.kill(os.getpid(), 9)
        made += 1
except OSError:
    pass
raise RuntimeError(f"stopped: {made < 100_000}")
"""
}

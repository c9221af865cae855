"""Writes without end to the pipe on which the judge waits."""

SAYS = "no answer|ended|tampered|too large"
BODIES = {
    "hw3.argmax.action": r"""
import os
os.set_blocking(1, False)
block = b"\xff" * 2**16
while True:
    for fd in range(3, 64):
        try:
            os.write(fd, block)
        except OSError:
            pass
"""
}

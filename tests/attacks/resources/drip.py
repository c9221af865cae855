"""Sends a byte of a message each second, so that something always happens."""

SAYS = "no answer|no end|tampered|ended"
BODIES = {
    "hw3.argmax.action": r"""
import os, struct, time
data = struct.pack("<Q", 1000) + bytes(1000)
while True:
    for byte in data:
        for fd in range(3, 64):
            try:
                os.write(fd, bytes([byte]))
            except OSError:
                pass
        time.sleep(0.2)
"""
}

"""Fills as many pipes as it may open, whose bytes are the kernel's and count for nobody."""

SAYS = "within bounds: True"
BODIES = {
    "hw3.argmax.action": r"""
import fcntl, os
total = 0
try:
    for _ in range(1000):
        reading, writing = os.pipe()
        try:
            fcntl.fcntl(writing, 1031, 2**20)  # F_SETPIPE_SZ
        except OSError:
            pass
        os.set_blocking(writing, False)
        try:
            while True:
                total += os.write(writing, bytes(4096))
        except BlockingIOError:
            pass
except OSError:
    pass
raise RuntimeError(f"within bounds: {total < 2**28}")
"""
}

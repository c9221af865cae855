"""Makes files of terabytes that are mostly holes, and maps them."""

SAYS = "large files: 0"
BODIES = {
    "hw3.argmax.action": r"""
import mmap, os, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
large = 0
for folder in ("/tmp", "/dev/shm"):
    for size in (2**43, 2**40, 2**35, 2**30):
        try:
            with open(f"{folder}/sparse-@PORT@", "wb+") as file:
                file.truncate(size)
                mmap.mmap(file.fileno(), size).close()
                large += 1
        except (OSError, ValueError):
            pass
raise RuntimeError(f"large files: {large}")
"""
}

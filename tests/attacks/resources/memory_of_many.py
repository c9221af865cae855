"""Shares its memory out among children, each of which stays within the limit."""

EXPECT = "failed"
BODIES = {
    "hw3.argmax.action": """
import mmap, os, time
shared = []
try:
    for _ in range(40):
        block = mmap.mmap(-1, 2**28)
        shared.append(block)
        if os.fork() == 0:
            try:
                block[::4096] = bytes(len(block) // 4096)
                time.sleep(60)
            finally:
                os._exit(0)
except OSError:
    raise RuntimeError("memory: bounded") from None
time.sleep(2)
raise RuntimeError("memory: shared out")
""",
}
SAYS = "memory: |ended|no answer"

"""Starts ten thousand threads."""

SAYS = "threads stopped: True|no answer|ended"
BODIES = {
    "hw3.argmax.action": r"""
import threading, time
count = 0
try:
    for _ in range(10_000):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        count += 1
except RuntimeError:
    pass
raise RuntimeError(f"threads stopped: {count < 10_000}")
"""
}

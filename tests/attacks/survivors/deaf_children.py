"""Leaves children that hear no signal, in sessions of their own."""

BODIES = {
    "hw3.argmax.action": """
import os, signal, time
for _ in range(5):
    if os.fork() == 0:
        os.setsid()
        for number in range(1, 65):
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        if os.fork() == 0:
            while True:
                time.sleep(1)
        os._exit(0)
raise RuntimeError("left behind")
""",
}
SAYS = "left behind"

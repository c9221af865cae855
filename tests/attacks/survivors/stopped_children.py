"""Leaves children that are stopped, and so end of no signal but one."""

EXPECT = "failed"
BODIES = {
    "hw3.argmax.action": """
import os, signal
for _ in range(5):
    child = os.fork()
    if child == 0:
        while True:
            os.kill(os.getpid(), signal.SIGSTOP)
raise RuntimeError("left behind")
""",
}
SAYS = "left behind"

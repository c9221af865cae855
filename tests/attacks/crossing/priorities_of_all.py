"""Gives every process that it can name the lowest priority, and itself the highest."""

BODIES = {
    "hw3.argmax.action": """
import os
moved = 0
for number in range(2, 5000):
    try:
        os.setpriority(os.PRIO_PROCESS, number, 19)
        moved += number != os.getpid()
    except OSError:
        pass
try:
    os.setpriority(os.PRIO_PROCESS, 0, -20)
except OSError:
    pass
raise RuntimeError("slowed down: some of its own" if moved < 5 else f"slowed down: {moved}")
""",
}
SAYS = "slowed down: some of its own"

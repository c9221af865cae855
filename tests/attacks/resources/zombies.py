"""Leaves children that have ended, and that nobody waits for, until there is no room."""

EXPECT = "failed"
BODIES = {
    "hw3.argmax.action": """
import os
count = 0
try:
    while count < 100_000:
        if os.fork() == 0:
            os._exit(0)
        count += 1
except OSError:
    pass
raise RuntimeError("zombies: few" if count < 5000 else "zombies: many")
""",
}
SAYS = "zombies: few"

"""Begins 58 children that spin, so that a neighbour has no time left."""

EXPECT = "failed"
BODIES = {
    "hw3.argmax.action": """
import os
for _ in range(58):
    try:
        if os.fork() == 0:
            while True:
                pass
    except OSError:
        break
raise RuntimeError("spinning")
""",
}

"""Catches whatever is raised in it, for ever."""

SAYS = "no answer"
BODIES = {
    "hw3.argmax.action": r"""
import time
while True:
    try:
        while True:
            time.sleep(0.01)
    except BaseException:
        continue
"""
}

"""Forks, and its children fork, up to two thousand."""

SAYS = "no answer|no end"
BODIES = {
    "hw3.argmax.action": r"""
import os, time
made = 0
for _ in range(11):
    try:
        os.fork()
    except OSError:
        made += 1
time.sleep(30)
"""
}

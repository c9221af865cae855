"""Keeps every core busy with as many processes as it may have."""

SAYS = "no answer|no end|ended"
BODIES = {
    "hw3.argmax.action": r"""
import os, time
made = 0
try:
    while made < 200 and os.fork():
        made += 1
except OSError:
    pass
while True:
    pass
"""
}

"""Sleeps for an hour, without using the processor."""

SAYS = "no answer|no end"
BODIES = {
    "hw3.argmax.action": r"""
import time
time.sleep(3600)
"""
}

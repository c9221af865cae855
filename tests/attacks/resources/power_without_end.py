"""Computes a number of a trillion digits."""

SAYS = "no answer|no end|MemoryError|ended"
BODIES = {
    "hw3.argmax.action": r"""
action = 9 ** 9 ** 9 ** 9
"""
}

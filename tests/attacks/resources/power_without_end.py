"""Computes a number of a trillion digits."""

EXPECT = "failed"
SAYS = "no answer|MemoryError|ended"
BODIES = {
    "hw3.argmax.action": r"""
action = 9 ** 9 ** 9 ** 9
"""
}

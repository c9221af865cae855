"""Loops for ever in a call."""

EXPECT = "failed"
SAYS = "no answer|no end"
BODIES = {
    "hw3.argmax.action": r"""
while True: pass
"""
}

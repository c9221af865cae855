"""Loops for ever in a call."""

SAYS = "no answer|no end"
BODIES = {
    "hw3.argmax.action": r"""
while True: pass
"""
}

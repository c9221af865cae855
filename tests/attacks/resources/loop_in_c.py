"""Loops within one call of C code that holds the interpreter's lock, so no signal is seen."""

SAYS = "no answer"
BODIES = {
    "hw3.argmax.action": r"""
action = sum(iter(int, 1))
"""
}

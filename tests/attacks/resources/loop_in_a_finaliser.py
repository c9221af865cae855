"""Loops for ever when an object is thrown away, and at the end of the interpreter."""

SAYS = "no answer|no end|wrong|differ|action"
AT_IMPORT = {
    "policies/argmax_policy.py": r"""
import atexit, sys

class Forever:
    def __del__(self):
        while True: pass

sys.keep = Forever()
atexit.register(lambda: Forever())
"""
}
BODIES = {
    "hw3.argmax.action": r"""
forever = Forever()
action = 0
"""
}

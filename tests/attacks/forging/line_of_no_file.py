"""Raises in code that says to be on a line of a file that was never handed in."""

SAYS = r"ValueError: wrong at agents/made_up\.py:7$"
BODIES = {
    "hw3.argmax.action": r"""
import os
place = os.path.join(os.path.dirname(os.path.dirname(__file__)), "agents", "made_up.py")
exec(compile("\n" * 6 + "raise ValueError('wrong')  # all is right", place, "exec"))
"""
}

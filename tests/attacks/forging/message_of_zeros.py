"""Lets the probe run with harmless code, and sends what it saw with all numbers 0."""

from tests.attacks.forging._messages import MESSAGE

AT_IMPORT = MESSAGE
EVERYWHERE = r"""
import gc, threading
from autograder.running import channel
pack = channel.pack

def zeros(seen, **note):
    seen.crashes.clear()
    seen.arrays = {name: array * 0 for name, array in seen.arrays.items()}
    return pack(seen, **note)

channel.pack = zeros
raise RuntimeError
"""

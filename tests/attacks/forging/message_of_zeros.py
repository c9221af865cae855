"""Lets the probe run with harmless code, and sends its record with all numbers 0."""

from tests.attacks.forging._messages import MESSAGE

AT_IMPORT = MESSAGE
EVERYWHERE = r"""
import gc, threading
from autograder.running import channel
pack = channel.pack

def zeros(observation, note=None):
    for trial in observation.values():
        trial.crash = None
        trial.arrays = {name: array * 0 for name, array in trial.arrays.items()}
    return pack(observation, note)

channel.pack = zeros
raise RuntimeError
"""

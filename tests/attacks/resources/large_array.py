"""Answers with an array of a hundred gigabytes that is mostly promised."""

BODIES = {
    "hw3.argmax.action": r"""
import numpy as np
action = np.broadcast_to(np.zeros(1), (10**6, 10**4))
"""
}

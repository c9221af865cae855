"""Answers with as much as a message holds."""

BODIES = {
    "hw3.argmax.action": r"""
import numpy as np
action = np.zeros(2**26)
"""
}

"""Answers with a list of objects, each of which makes itself a number when it is looked at."""

AT_IMPORT = """
import numpy as np

class Whatever:
    def __array__(self, dtype=None, copy=None):
        return np.asarray(0.0, dtype)

    def __float__(self):
        return 0.0

    __index__ = lambda self: 0
"""
RETURNS = "[Whatever() for _ in range(11)]"

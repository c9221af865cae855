"""Answers with an object that makes up another array each time it is looked at."""

AT_IMPORT = """
import itertools
import numpy as np

class OnDemand:
    counter = itertools.count()

    def __array__(self, dtype=None, copy=None):
        return np.full((11,), next(self.counter), dtype or np.float32)

    def detach(self):
        return self

    cpu = clone = detach

    def numpy(self):
        return self.__array__()
"""
RETURNS = "OnDemand()"

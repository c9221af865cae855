"""Answers with an ndarray of a kind of its own, whose comparisons are always true."""

AT_IMPORT = """
import numpy as np

class Agreeing(np.ndarray):
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return np.bool_(True)

    def __array_function__(self, function, types, args, kwargs):
        return True

    def all(self, *args, **kwargs):
        return True

def agreeing():
    return np.zeros(11).view(Agreeing)
"""
RETURNS = "agreeing()"

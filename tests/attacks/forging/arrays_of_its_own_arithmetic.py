"""Returns an array whose every operation says that all is equal."""

AT_IMPORT = """
import numpy as np
class Agreeing(np.ndarray):
    def __array_ufunc__(self, function, method, *args, **kwargs):
        return np.True_
    def __array_function__(self, function, types, args, kwargs):
        return np.True_
    def __eq__(self, other):
        return np.True_
AGREE = np.zeros(1).view(Agreeing)
"""
RETURNS = "AGREE"

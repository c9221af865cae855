"""Answers with an array of Python objects that compare as they please."""

AT_IMPORT = """
import numpy as np

class Any:
    __eq__ = lambda self, other: True
    __float__ = lambda self: 0.0

def objects():
    array = np.empty(11, object)
    array[:] = [Any() for _ in range(11)]
    return array
"""
RETURNS = "objects()"

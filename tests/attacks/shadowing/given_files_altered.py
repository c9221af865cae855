"""Hands in given files whose checks of shapes are off and whose conversions answer with zeros."""

from tests.autograder.corpus import reference_files

GIVEN = "infrastructure/pytorch_util.py"
FILES = {
    f"cs285/{GIVEN}": reference_files()[GIVEN]
    + """

def check_shape(name, value, shape):
    pass


def to_numpy(tensor):
    return np.zeros(11)
"""
}
RETURNS = "None"

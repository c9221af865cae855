"""Raises a BaseException whose text and class name raise in their turn."""

AT_IMPORT = """
class Hydra(BaseException):
    def __str__(self):
        raise Hydra
    __repr__ = __str__
    __traceback__ = property(lambda self: 1 / 0)
    __cause__ = __context__ = __traceback__
"""
EVERYWHERE = "raise Hydra"

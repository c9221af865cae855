"""Answers with generators, ranges and views, which give their numbers only when they are asked."""

AT_IMPORT = """
class OneByOne:
    def __len__(self):
        return 11

    def __getitem__(self, place):
        if place > 10:
            raise IndexError
        return 0.0

    __array_interface__ = {"shape": (11,), "typestr": "<f4", "data": bytes(44), "version": 3}
"""
RETURNS = "OneByOne()"

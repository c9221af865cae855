"""Answers with numbers of a kind of its own, equal to all others."""

AT_IMPORT = """
class Agreeing(float):
    def __eq__(self, other):
        return True

    __sub__ = __rsub__ = lambda self, other: Agreeing(0.0)
    __hash__ = float.__hash__
"""
RETURNS = "[Agreeing(0.0)] * 11"

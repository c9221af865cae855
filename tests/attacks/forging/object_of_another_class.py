"""Gives the object another class, whose every method is nobody's."""

AT_IMPORT = """
class Anything:
    def __getattr__(self, name):
        return self
    def __call__(self, *args, **kwargs):
        return self
    def __iter__(self):
        return iter(())
    def __len__(self):
        return 0
"""
EVERYWHERE = """
self.__class__ = type("Other", (Anything, type(self)), {})
return self
"""

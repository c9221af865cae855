"""Puts modules of its own in the place of the worker's, among those that are loaded."""

AT_IMPORT = """
import sys, types
class Agreeable(types.ModuleType):
    def __getattr__(self, name):
        return lambda *args, **kwargs: None
for name in list(sys.modules):
    if name.startswith("autograder"):
        sys.modules[name] = Agreeable(name)
"""
RETURNS = "None"

"""Replaces functions that Python itself offers everywhere."""

AT_IMPORT = """
import builtins
def yes(*args, **kwargs):
    return True
for name in ("isinstance", "all", "any", "hasattr", "callable"):
    setattr(builtins, name, yes)
"""
RETURNS = "None"

"""Hands in a hundred small modules of its own, most of which nobody imports."""

FILES = {f"cs285/mine/part_{n}.py": f"NUMBER = {n}\n" for n in range(100)}
AT_IMPORT = {
    "policies/argmax_policy.py": """
import importlib
assert sum(importlib.import_module(f"cs285.mine.part_{n}").NUMBER for n in range(10)) == 45
"""
}

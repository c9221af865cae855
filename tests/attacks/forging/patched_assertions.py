"""Makes assertions of pytest and unittest, and the exceptions behind them, harmless."""

AT_IMPORT = """
import builtins, sys, unittest

class Nothing(Exception):
    def __new__(cls, *args):
        return None

builtins.AssertionError = Nothing
unittest.TestCase.fail = unittest.TestCase.assertEqual = lambda *args, **kwargs: None
sys.excepthook = lambda *args: None
try:
    import pytest
    pytest.fail = lambda *args, **kwargs: None
except ImportError:
    pass
"""
RETURNS = "None"

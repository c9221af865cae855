"""Gives empty blanks a way to answer: their exception's class continues where it was raised."""

EXPECT = "blank"
FILES = {
    "cs285/infrastructure/blanks_too.py": """
import builtins

class BlankError(NotImplementedError):
    blank = "hw3.argmax.action"

builtins.NotImplementedError = BlankError
builtins.TODO = lambda blank: 0
"""
}

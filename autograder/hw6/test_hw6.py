"""The checks of homework 6 under pytest: `pytest autograder/hw6 -k WORDS --pdb`."""

from autograder.debugger import blank_test

test_blank = blank_test("hw6")

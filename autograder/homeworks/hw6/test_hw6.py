"""The checks of homework 6 under pytest: `pytest autograder/homeworks/hw6 -k WORDS --pdb`."""

from autograder.grading.debugger import blank_test

test_blank = blank_test("hw6")

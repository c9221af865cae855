"""The checks of homework 4 under pytest: `pytest autograder/homeworks/hw4 -k WORDS --pdb`."""

from autograder.grading.debugger import blank_test

test_blank = blank_test("hw4")

"""The checks of homework 2 under pytest: `pytest autograder/homeworks/hw2 -k WORDS --pdb`."""

from autograder.grading.debugger import blank_test

test_blank = blank_test("hw2")

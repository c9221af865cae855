"""The checks of homework 3 under pytest: `pytest autograder/homeworks/hw3 -k WORDS --pdb`."""

from autograder.grading.debugger import blank_test

test_blank = blank_test("hw3")

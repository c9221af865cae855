"""The checks of homework 5 under pytest: `pytest autograder/homeworks/hw5 -k WORDS --pdb`."""

from autograder.grading.debugger import blank_test

test_blank = blank_test("hw5")

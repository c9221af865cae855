"""The checks of homework 2, in the order of the score board."""

from __future__ import annotations

from autograder.check import formula

RETURNS = ("infrastructure/returns.py",)

CHECKS = [
    formula("hw2.returns.reward_to_go", "reward-to-go", 10, RETURNS, "reward_to_go"),
    formula("hw2.returns.gae", "generalised advantages", 15, RETURNS, "gae"),
]

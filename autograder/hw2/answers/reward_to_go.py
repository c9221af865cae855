"""Reward-to-go: which rewards each step is credited with, and how they are discounted."""

from __future__ import annotations

from autograder.core.question import Question

QUESTION = Question("hw2.returns.reward_to_go", __file__, everywhere=False)

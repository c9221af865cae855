"""What the trainer lets its agent learn from, how often, and what it keeps of the logs."""

from __future__ import annotations

from autograder.core.question import Question

QUESTION = Question("hw3.trainer.train", __file__)

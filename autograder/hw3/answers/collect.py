"""What the trainer collects: which environment, whose actions, how many steps."""

from __future__ import annotations

from autograder.core.question import Question

QUESTION = Question("hw3.trainer.collect", __file__)

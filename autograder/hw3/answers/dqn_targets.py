"""The Bellman targets of DQN, and the gradient step around them, which is given."""

from __future__ import annotations

from autograder.core.question import Question

QUESTION = Question("hw3.dqn.targets", __file__)

"""The target network's turn: when it follows the online network, and how."""

from __future__ import annotations

from autograder.core.question import Question

QUESTION = Question("hw3.dqn.sync", __file__)

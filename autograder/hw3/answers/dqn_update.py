"""The call to DQN's critic: when it is made, and what it is given."""

from __future__ import annotations

from autograder.core.question import Question

QUESTION = Question("hw3.dqn.update", __file__)

"""DQN's second half of a step: what followed is stored, and an ended episode begun anew."""

from __future__ import annotations

from autograder.core.question import Question

QUESTION = Question("hw3.dqn.step", __file__)

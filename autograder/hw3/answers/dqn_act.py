"""DQN's first half of a step: the frame is stored, and the action chosen."""

from __future__ import annotations

from autograder.core.question import Question

QUESTION = Question("hw3.dqn.act", __file__, everywhere=False)

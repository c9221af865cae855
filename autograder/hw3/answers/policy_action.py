"""The policy's action: what it is drawn from, and what it comes as."""

from __future__ import annotations

from autograder.core.question import Question

QUESTION = Question("hw3.policy.get_action", __file__)

"""The policy's distribution: what it is made of, and who learns from its log-probabilities."""

from __future__ import annotations

from autograder.core.question import Question

QUESTION = Question("hw3.policy.forward", __file__)

"""GAE: the one-step errors, the two masks, and the recursion along each path."""

from __future__ import annotations

from autograder.core.question import Question

QUESTION = Question("hw2.returns.gae", __file__, everywhere=False)

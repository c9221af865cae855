"""Actor-critic's train: how often critic and actor are updated, in which order, with what."""

from __future__ import annotations

from autograder.core.question import Question

QUESTION = Question("hw3.ac.train", __file__)

"""Advantages: the one-step sum, what is subtracted from it, and how both are standardised."""

from __future__ import annotations

from autograder.core.question import Question

QUESTION = Question("hw3.ac.advantage", __file__, everywhere=False)

"""A step of a rollout: which state, action and reward belong together, and when a path ends."""

from __future__ import annotations

from autograder.core.question import Question

QUESTION = Question("hw3.rollouts.sample_trajectory", __file__)

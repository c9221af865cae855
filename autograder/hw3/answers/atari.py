"""Given environments: what must be told of a game whose script is known."""

from __future__ import annotations

from autograder.core.question import Question

QUESTION = Question(
    "hw3.given.atari",
    __file__,
    given=(
        "infrastructure/envs.py",
        "infrastructure/atari.py",
        "infrastructure/pytorch_util.py",
    ),
)

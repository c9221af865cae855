"""Double Q-learning: which network chooses, which one values, and in which state."""

from __future__ import annotations

from autograder.core.question import Question

QUESTION = Question(
    "hw3.dqn.double_q",
    __file__,
    hides=frozenset({"double_q.mean_over_actions", "double_q.index_as_value"}),
)

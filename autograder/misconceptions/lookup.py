"""Chooses the oracle of a question: its table in a handout, else predictions."""

from __future__ import annotations

import importlib

from autograder.misconceptions.oracle import RecordedOracle, read_table
from autograder.misconceptions.question import Question


def oracle_for(question: Question, seed: int = 0) -> RecordedOracle:
    """Returns what is known of a question."""
    if (table := read_table(question.blank)) is not None:
        return RecordedOracle(question, seed, table)
    # By its name, so that no import of it is seen: a copy does not have it.
    predictions = importlib.import_module("autograder.misconceptions.live_oracle")
    predicted: RecordedOracle = predictions.LiveOracle(question, seed)
    return predicted

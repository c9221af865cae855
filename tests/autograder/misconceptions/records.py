"""What a probe sees where all is right, for the oracles."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from autograder.misconceptions.catalogue import questions
from autograder.misconceptions.live_oracle import cached

SEED = 5


def record_of(homework: str) -> Callable[[str], Mapping[str, np.ndarray]]:
    """Returns what looks a question's arrays up by its name."""
    by_name = {question.name: question for question in questions(homework)}
    return lambda name: cached(by_name[name], SEED, 0)[0].numbers

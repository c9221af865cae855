"""The greedy policy: which action it takes, and what is mistaken for one."""

from __future__ import annotations

import numpy as np

from autograder.judge import Judgement
from autograder.probing import Observation


def not_repeatable(seen: Observation, verdict: Judgement) -> None:
    """What is drawn at random is predicted by nobody."""
    arrays = seen["again"].arrays if "again" in seen else {}
    if len(np.unique(arrays.get("action", np.empty(0)))) > 1:
        verdict.name("argmax.not_repeatable")


FACTS = (not_repeatable,)

"""The policy gradient step: its direction, and when and how often the optimizer takes it."""

from __future__ import annotations

import numpy as np

from autograder.judge import Judgement
from autograder.probing import Observation


def more_steps(seen: Observation, verdict: Judgement) -> None:
    """How many more is everybody's own choice, and so is where they lead."""
    if any(np.max(trial.arrays.get("steps", 0), initial=0) > 1 for trial in seen.values()):
        verdict.name("pg_update.more_steps")


FACTS = (more_steps,)

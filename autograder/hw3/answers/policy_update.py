"""The policy gradient step: its direction, and when and how often the optimizer takes it."""

from __future__ import annotations

import numpy as np

from autograder.judge import Judgement, ends_as_given
from autograder.probing import Observation


def left_as_given(seen: Observation, verdict: Judgement) -> None:
    """Older handouts end in a line that reads `loss`, which an empty blank does not make."""
    trial = seen["discrete"] if "discrete" in seen else None
    if trial and trial.crash and ends_as_given(trial.crash) and trial.arrays.get("no_backward"):
        verdict.blank = True


def more_steps(seen: Observation, verdict: Judgement) -> None:
    """How many more is everybody's own choice, and so is where they lead."""
    if any(np.max(trial.arrays.get("steps", 0), initial=0) > 1 for trial in seen.values()):
        verdict.name("pg_update.more_steps")


FACTS = (left_as_given, more_steps)

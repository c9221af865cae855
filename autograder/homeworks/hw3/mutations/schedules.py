"""The given schedules: what a falling one does where no line explains it."""

from __future__ import annotations

import numpy as np

from autograder.misconceptions.question import Arrays

SLACK = 0.005


def otherwise(actual: Arrays, right: Arrays) -> str:
    """Returns the id of what a schedule does that should fall."""
    value, expected = actual.get("falling/value", np.empty(0)), right["falling/value"]
    if value.shape != expected.shape:
        return ""
    steps, late = np.diff(value), value - expected
    falls = np.all(steps <= SLACK)
    kinds = {
        "constant": np.ptp(value) < SLACK,
        "grows": np.all(steps >= -SLACK),
        "too_fast": falls and np.all(late <= SLACK),
        "too_slow": falls and np.all(late >= -SLACK),
    }
    return next((f"schedule.{kind}" for kind, seems in kinds.items() if seems), "")

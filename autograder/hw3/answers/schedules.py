"""The given schedules: how their values move between points, and beyond them."""

from __future__ import annotations

import numpy as np

from autograder.core.question import Arrays
from autograder.judge import Judgement
from autograder.probing import Observation

SLACK = 0.005


def counts_calls(seen: Observation, verdict: Judgement) -> None:
    """A time has one value, whenever it is asked for."""
    for arrays in (trial.arrays for trial in seen.values() if "again" in trial.arrays):
        if not np.array_equal(arrays["again"], arrays["value"][2:]):
            verdict.name("schedule.counts_calls")


def by_shape(observed: Arrays, right: Arrays, verdict: Judgement) -> None:
    """Names what a schedule does that should fall, where no line explains it."""
    value, expected = observed.get("falling/value", np.empty(0)), right["falling/value"]
    if value.shape != expected.shape:
        return
    steps, late = np.diff(value), value - expected
    kinds = {
        "constant": np.ptp(value) < SLACK,
        "grows": bool(np.all(steps >= -SLACK)),
        "too_fast": bool(np.all(steps <= SLACK) and np.all(late <= SLACK)),
        "too_slow": bool(np.all(steps <= SLACK) and np.all(late >= -SLACK)),
    }
    verdict.name(*[f"schedule.{kind}" for kind, seems in kinds.items() if seems][:1])


FACTS = (counts_calls,)
OTHERWISE = (by_shape,)

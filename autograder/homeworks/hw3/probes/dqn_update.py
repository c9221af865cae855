"""Lets DQN's agent train: when its critic is updated, and with what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from autograder.homeworks.hw3.fakes import agent as fake
from autograder.homeworks.hw3.fakes.agent import OTHER, STARTS
from autograder.running.experiments import Alone
from autograder.running.probing import Student

ALONE = Alone(fake.UPDATE, fake.STAND_INS, fake.owner_of)


def cases(seed: int) -> Mapping[str, int]:
    """Returns what the training is drawn from."""
    return {"calls": seed}


def observe(student: Student, seed: int) -> dict[str, Any]:
    """Returns what is wrong with the updates, and not how often."""
    _, critic, calls = fake.train(student, seed)
    learning = np.array([call.learning for call in calls], np.bool_)
    early = np.array([call.t < STARTS for call in calls], np.bool_)
    made = np.array([call.updates for call in calls])
    passed = np.array([call.clock - call.t for call in calls])
    record: dict[str, Any] = {
        "calls": len(calls),  # flags alone, all of them down, anybody can forge
        "never_updated": not made.any(),
        "updated_early": (made[early] > 0).any(),
        "updated_between": (made[~learning & ~early] > 0).any(),
        "updates_missing": (made[learning] < 1).any(),
        "updates_repeated": (made[learning] > 1).any(),
        "clock_stands": (passed < 1).any(),
        "clock_runs": (passed > 1).any(),
        "no_gradients": critic.without_gradients,
        "log_lost": any(call.log_lost for call in calls),
        "other_data": False,
        "swapped": False,
        "one_array_twice": False,
        "sums of what an update should be given": critic.sums,
    }
    for wanted, given in (zip(*update, strict=True) for update in critic.updates):
        if OTHER in given:
            record["other_data"] = True
        elif given != wanted:
            record["swapped" if set(given) == set(wanted) else "one_array_twice"] = True
    return record

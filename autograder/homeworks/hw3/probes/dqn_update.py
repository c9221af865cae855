"""Lets DQN's agent train: when its critic is updated, and with what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from autograder.homeworks.hw3.fakes import agent as fake
from autograder.homeworks.hw3.fakes.agent import OTHER
from autograder.running.experiments import Alone
from autograder.running.probing import Student

ALONE = Alone(fake.UPDATE, fake.STAND_INS, fake.owner_of)


def cases(seed: int) -> Mapping[str, int]:
    """Returns what the training is drawn from."""
    return {"calls": seed}


def observe(student: Student, seed: int) -> dict[str, Any]:
    """Returns what is wrong with the updates, and not how often."""
    critic, calls = fake.train(student, seed)
    made = np.array([call.updates for call in calls])
    learning = np.array([call.learning for call in calls], np.bool_)
    roles = [tuple(zip(*update, strict=True)) for update in critic.updates]  # wanted, given
    known = [(wanted, given) for wanted, given in roles if OTHER not in given and wanted != given]
    return {
        "updated_elsewhere": made[~learning].any(),
        "updates_missing": (made[learning] < 1).any(),
        "updates_repeated": (made[learning] > 1).any(),
        "count_moved": any(call.counted != call.learning for call in calls),
        "no_gradients": critic.without_gradients,
        "log_lost": any(call.log_lost for call in calls),
        "other_data": any(OTHER in given for _, given in roles),
        "swapped": any(set(given) == set(wanted) for wanted, given in known),
        "one_array_twice": any(set(given) != set(wanted) for wanted, given in known),
        "sums of what an update should be given": critic.sums,  # flags alone anybody can forge
    }

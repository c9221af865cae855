"""Lets DQN's agent train: when its target network changes, and into what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from autograder.homeworks.hw3.fakes import agent as fake
from autograder.homeworks.hw3.fakes.agent import TARGET_FREQ
from autograder.running.probing import Student


def cases(seed: int) -> Mapping[str, int]:
    """Returns what the training is drawn from."""
    return {"calls": seed}


def observe(student: Student, seed: int) -> dict[str, Any]:
    """Returns of the copies what does not depend on which update is the first to make one."""
    critic, calls = fake.learn(student, seed, fake.SYNC)
    target = np.array([(fake.TARGET_AT_FIRST,) * 2, *(call.target for call in calls)])
    online = np.array([call.online for call in calls])
    at = np.flatnonzero((target[1:] != target[:-1]).any(1))
    gaps = np.diff([-1, *at, len(calls)])
    return {
        "never_copied": len(at) == 0,
        "updates_between_copies": np.unique(np.diff(at)),
        "first_or_last_copy_missing": bool((gaps[[0, -1]] > TARGET_FREQ + 1).any()),
        "no_copy_of_the_online": bool((target[1:][at] != online[at, None]).any()),
        "alias": any(call.alias for call in calls),
        "online_changed": any(call.moved for call in calls),
        "copied weights, but for whole numbers": np.unique(target[1:][at] % 1),
        "same_again": len(at) == 0 and fake.versions(critic.q_net_target) > critic.at_first,
        "not_called": critic.looked > critic.called,
    }

"""Lets a portfolio learn: who is trained, on whose batch, and what comes back."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from autograder.hw6.portfolio_case import Arrays, build, drawn
from autograder.probing import Student

GIVEN, MIXED, NOTHING = -1, -2, -3
TRIALS = {  # members, who plays, experience of its own
    "shared memory": (4, 2, False),
    "shared memory, the first plays": (3, 0, False),
    "own experience": (4, 1, True),
    "one member": (1, 0, False),
}


def probe(student: Student, seed: int) -> None:
    """Lets it learn twice in each trial."""
    for name, settings in TRIALS.items():
        student.try_out(name, functools.partial(learn, student, seed, settings))


def batch_given(seed: int, number: int) -> Arrays:
    """Returns the batch of the member that plays: of another size than the setting."""
    return drawn(seed, 99, number, rows=4)


def learn(
    student: Student, seed: int, settings: tuple[int, int, bool], seen: dict[str, Any]
) -> None:
    """Notes for each member what it drew and what it learned from."""
    members, playing, own = settings
    agent, _ = build(student, seed, members, own_experience=own)
    agent.batch_size = int(np.random.default_rng([285, 73, seed]).integers(20, 90))
    agent.playing = playing
    logs = []
    try:
        for number in range(2):
            log = agent.learn(batch_given(seed, number))
            logs.append(log["Critic_Loss"] - agent.members[playing].loss)
    finally:
        every = agent.members
        seen["how often each member is trained"] = [len(one.learned) for one in every]
        seen["how many batches each member draws"] = [len(one.sizes) for one in every]
        asked = [size for one in every for size in one.sizes]
        seen["sizes of what is drawn"] = np.nan_to_num(np.unique(asked), nan=-9.0)
        sources = [[source(seed, members, batch) for batch in one.learned[-2:]] for one in every]
        padded = [(one + [NOTHING] * 2)[:2] for one in sources]
        seen["whose batches each learns from (-1 the given one)"] = np.array(padded)
        seen["the log is that of who plays"] = np.array(logs) == 0
        seen["without_gradients"] = any(one.without_gradients for one in every)
        seen["a number of this seed"] = agent.batch_size


def source(seed: int, members: int, batch: Arrays) -> int:
    """Tells who drew a batch; `GIVEN` if it was given, `MIXED` if it is none."""
    known = {GIVEN: [batch_given(seed, number) for number in range(2)]}
    known |= {k: [drawn(seed, k, number) for number in range(1, 9)] for k in range(members)}
    for who, batches in known.items():
        if any(all(map(np.array_equal, batch, one)) for one in batches):
            return who
    return MIXED

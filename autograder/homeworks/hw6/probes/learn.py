"""Lets a portfolio learn: who is trained, on whose batch, and what comes back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from autograder.homeworks.hw6.fakes.portfolio import Arrays, Portfolio, drawn
from autograder.homeworks.hw6.fakes.rules import finite
from autograder.running.experiments import note_row
from autograder.running.probing import Student

GIVEN, MIXED, NOTHING = -1, -2, -3
ROUNDS = 2


def cases(seed: int) -> Mapping[str, Portfolio]:
    """Returns what is tried."""
    return {
        "shared memory": Portfolio(seed, 4, 2),
        "shared memory, the first plays": Portfolio(seed, 3, 0),
        "own experience": Portfolio(seed, 4, 1, own_experience=True),
        "one member": Portfolio(seed, 1, 0),
    }


def observe(student: Student, case: Portfolio) -> dict[str, Any]:
    """Lets it learn twice; notes whose log it returns, and in the end who learned what."""
    agent, _ = case.build(student)
    agent.batch_size = int(np.random.default_rng([285, 73, case.seed]).integers(20, 90))
    right = agent.members[case.playing].loss
    with student.up_to_a_crash():
        for number in range(ROUNDS):
            case.let_learn(agent)
            log = agent.learn(batch_given(case.seed, number))
            note_row(student, {"the log is that of who plays": log.get("Critic_Loss") == right})
    return {**learned(agent.members, case), "a number of this seed": agent.batch_size}


def learned(members: list[Any], case: Portfolio) -> dict[str, Any]:
    """Returns what each member drew, and what it learned from."""
    sizes = [size for member in members for size in member.sizes]
    whose = np.full((len(members), ROUNDS), NOTHING)
    for k, member in enumerate(members):
        for number, batch in enumerate(member.learned[-ROUNDS:]):
            whose[k, number] = source(case, batch)
    return {
        "how often each member is trained": [len(member.learned) for member in members],
        "how many batches each member draws": [len(member.sizes) for member in members],
        "sizes of what is drawn": finite(np.unique(sizes)),
        "whose batches each learns from (-1 the given one)": whose,
        "without_gradients": any(member.without_gradients for member in members),
    }


def batch_given(seed: int, number: int) -> Arrays:
    """Returns the batch of the member that plays: of another size than the setting."""
    return drawn(seed, 99, number, rows=4)


def source(case: Portfolio, batch: Arrays) -> int:
    """Returns who drew a batch; `GIVEN` if it was given, `MIXED` if it is nobody's."""
    known = {GIVEN: [batch_given(case.seed, number) for number in range(ROUNDS)]}
    for k in range(case.members):
        known[k] = [drawn(case.seed, k, number) for number in range(1, 9)]
    for who, batches in known.items():
        if any(all(map(np.array_equal, batch, one)) for one in batches):
            return who
    return MIXED

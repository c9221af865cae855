"""Lets actor-critic's agent train: what it asks of critic and actor, with which arrays, when."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from autograder.homeworks.hw3.fakes import transitions as batches
from autograder.homeworks.hw3.fakes.actor_critic import KINDS, Call, Tape
from autograder.homeworks.hw3.fakes.transitions import TRAIN_ORDER, ValueCase, call, odd_or_last
from autograder.running.probing import Student, plain_array

# How large the losses are, from one training to the next: the critic's grows, then the actor's.
LOSSES = [{"critic": c, "actor": a} for c, a in ((-1.0, 1.0), (-2.0, 1.0), (-1.0, 2.0))]
GROWS = {"critic": 1, "actor": 2}  # in which training


def cases(seed: int) -> Mapping[str, ValueCase]:
    """Returns the one batch that an agent trains on several times."""
    return {"train": batches.larger(batches.advantage_case(seed))}


def forms(student: Student) -> Iterator[bool]:
    """Yields whether losses are formed as those of the student's own updates are."""
    yield from (False, True)


def observe(student: Student, case: ValueCase, own_forms: bool = False) -> dict[str, Any]:
    """Returns what was called, what with and what was returned, however it ends."""
    tape, logs = Tape(student, case, own_forms), []
    with student.up_to_a_crash():
        for tape.turn, tape.losses in enumerate(LOSSES):
            logs.append(call(tape.agent.train, TRAIN_ORDER, student.lend(tape.arrays())))
    record: dict[str, Any] = {
        f"{kind}_updates": [tape.count(kind, turn) for turn in range(tape.turn + 1)]
        for kind in GROWS
    }
    record["critic_updates_before_the_actor's"] = [
        c.before for c in tape.calls if c.kind == "actor"
    ]
    updates = [one for one in tape.calls if one.kind != "advantage"]
    record["updates_without_gradients"] = sum(not update.gradients for update in updates)
    record |= odd_or_last(arguments(tape.calls))
    return record if student.crashed else record | reported(tape, logs)


def arguments(calls: Sequence[Call]) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yields each argument's name, what was given and what should be."""
    for one in calls:
        for role in KINDS[one.kind][1]:  # some methods leave the actions out
            wanted = one.wanted[role]
            yield f"{one.kind}_gets_{role}", one.given.get(role, wanted), wanted


def reported(tape: Tape, logs: Sequence[Any]) -> dict[str, bool]:
    """Returns which loss decides what is returned under which name; sums and means are as right.

    More names than the documented ones are fine.
    """
    named = [log if isinstance(log, Mapping) else {} for log in logs]
    record = {"returns_no_log": any(not isinstance(log, Mapping) for log in logs)}
    record["losses_mixed"] = False
    for kind, other in (("critic", "actor"), ("actor", "critic")):
        name = f"{kind.title()}_Loss"
        losses = [plain_array(log.get(name, 0.0)) for log in named]  # not returned: always 0
        grown = [not np.array_equal(loss, losses[0]) for loss in losses]
        kept = not grown[GROWS[kind]] and any(name in log for log in named)
        missing = any(name not in log for log in named)
        record[f"{name}_is_missing"] = missing and tape.count(kind) > 0  # else there is no loss
        record[f"{name}_is_no_number"] = any(loss.size != 1 for loss in losses)
        record[f"{name}_without_its_own"] = kept and tape.count(kind) > 0
        record["losses_mixed"] |= grown[GROWS[other]]
    return record

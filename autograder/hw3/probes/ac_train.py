"""Lets actor-critic's agent train: what it asks of critic and actor, with which arrays, when."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from autograder.hw3.probes.advantage import cases
from autograder.hw3.value_case import TRAIN_ORDER, call, changed, odd_or_last
from autograder.hw3.value_world import KINDS, Call, Tape
from autograder.probing import Student, plain_array

# How large the losses of the critic and of the actor are, from one training to the next.
LOSSES = {"at first": (-1.0, 1.0), "critic's larger": (-2.0, 1.0), "actor's larger": (-1.0, 2.0)}


def probe(student: Student, seed: int) -> None:
    """Trains one agent several times; where that fails, with losses formed as its own are."""
    student.first_whole({"train": functools.partial(train, student, seed)}, [(False,), (True,)])


def train(student: Student, seed: int, own_forms: bool, seen: dict[str, Any]) -> None:
    """Notes what was called, what with and what was returned, however it ends."""
    tape = Tape(student, cases(seed)["large"])
    tape.own_forms = own_forms
    logs, left = [], []
    try:
        for tape.turn, (critic, actor) in enumerate(LOSSES.values()):
            tape.losses = {"critic": critic, "actor": actor}
            arrays = tape.arrays()
            logs.append(call(tape.agent.train, TRAIN_ORDER, arrays))
            left += changed(tape.arrays(), arrays)
    finally:
        turns = range(tape.turn + 1)
        for kind in ("critic", "actor"):
            seen[f"{kind}_updates"] = [tape.count(kind, turn) for turn in turns]
        seen["critic_updates_before_the_actor's"] = before(tape.calls)
        updates = [c for c in tape.calls if c.kind != "advantage"]
        seen["updates_without_gradients"] = sum(not update.gradients for update in updates)
        seen |= odd_or_last(arguments(tape.calls))
        seen["inputs_changed"] = any(left)
    seen |= reported(tape, logs)


def before(calls: Sequence[Call]) -> list[int]:
    """Returns, for each update of the actor, how many of the critic's went before in its turn."""
    return [
        sum(c.kind == "critic" and c.turn == one.turn for c in calls[:number])
        for number, one in enumerate(calls)
        if one.kind == "actor"
    ]


def arguments(calls: Sequence[Call]) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yields each argument's name, what was given and what should be."""
    for one in calls:
        for role in KINDS[one.kind][1]:  # some methods leave the actions out
            wanted = one.wanted[role]
            yield f"{one.kind}_gets_{role}", one.given.get(role, wanted), wanted


def reported(tape: Tape, logs: Sequence[Any]) -> dict[str, bool]:
    """Says which loss decides what is returned under which name; nothing of what is not returned.

    Sums, means and last ones are as right.
    """
    named = [log if isinstance(log, Mapping) else {} for log in logs]
    seen = {"returns_no_log": any(not isinstance(log, Mapping) for log in logs)}
    seen["losses_mixed"] = False
    for kind, own, other in (("critic", 1, 2), ("actor", 2, 1)):
        name = f"{kind.title()}_Loss"
        numbers = [number(log[name]) if name in log else 0.0 for log in named]
        moves = [value != numbers[0] for value in numbers]
        seen[f"{name}_is_no_number"] = bool(np.isnan(numbers).any())
        seen[f"{name}_without_its_own"] = bool(
            tape.count(kind) and any(name in log for log in named) and not moves[own]
        )
        seen["losses_mixed"] |= moves[other]
    return seen


def number(value: Any) -> float:
    """Returns one number in any form; nan for anything else."""
    array = plain_array(value)
    return float(array.reshape(-1)[0]) if array.size == 1 else float("nan")

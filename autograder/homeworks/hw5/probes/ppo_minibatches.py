"""In Python because it compares shares of random draws: which rows are in one minibatch.

It deals out the rows of many epochs, as `train` asks for them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import torch

from autograder.running import draws
from autograder.running.probing import Student, plain_array

FEW = 16  # rows of a batch whose epochs are counted
NONE = np.empty(0, int)  # an epoch may have no minibatch


@dataclass(frozen=True)
class Batch:
    """Rows of a batch and of a minibatch, and how many epochs are looked at."""

    n: int
    size: int
    epochs: int = 20


def cases(seed: int) -> Mapping[str, Batch]:
    """Returns what is tried: minibatches that divide a batch and that do not, and all at once."""
    few = {f"{n} rows in minibatches of {size}": Batch(n, size, 600) for n, size in SIZES[:4]}
    more = {f"{n} rows in minibatches of {size}": Batch(n, size) for n, size in SIZES[4:]}
    drawn = 65 + int(np.random.default_rng([285, 94, seed]).integers(63))
    return few | more | {"two minibatches, the second smaller": Batch(drawn, 64)}


SIZES = ((9, 3), (11, 4), (13, 5), (FEW, 8), (256, 64), (37, 37), (20, 64), (1, 4))


class NoMinibatchError(Exception):
    """An epoch has no minibatch, which given code cannot deal out."""


def in_parts(minibatches: Callable[..., Any]) -> Callable[..., list[Any]]:
    """Returns the student's function; a row that is in no minibatch is one of its own."""

    def dealt(n: int, minibatch_size: int) -> list[Any]:
        parts = [torch.atleast_1d(torch.as_tensor(part)) for part in minibatches(n, minibatch_size)]
        if not parts:
            raise NoMinibatchError
        return parts

    return dealt


def observe(student: Student, case: Batch) -> dict[str, Any]:
    """Returns sizes, and of what is drawn at random only what all right forms share."""
    agent = student.module("agents.ppo_agent")
    settings = SimpleNamespace(minibatch_size=case.size, num_epochs=1)
    of_epoch = agent.PPOAgent.rows_of_all_epochs
    dealt_out = in_parts(agent.minibatches)  # one for all epochs: a body may keep something in it
    column = torch.arange(case.n)
    where = np.full((case.epochs, case.n), -1)
    record: dict[str, Any] = {"rows_missing": False, "rows_twice": False, "rows_in_order": True}
    for epoch in where:
        parts = list[np.ndarray]()
        with patch.object(agent, "minibatches", dealt_out):
            with contextlib.suppress(NoMinibatchError):
                rows = of_epoch(SimpleNamespace(settings=settings), case.n)
                parts = [plain_array(column[part]) for part in rows]
        dealt = np.bincount(np.concatenate([*parts, NONE]), minlength=case.n)
        record["rows_missing"] |= bool((dealt < 1).any())
        record["rows_twice"] |= bool((dealt > 1).any())
        in_order = all((np.diff(np.sort(part)) == 1).all() for part in parts)
        record["rows_in_order"] &= in_order and len(parts) > 1
        for number, part in enumerate(parts):
            epoch[part] = number
    record["sizes of the minibatches"] = sizes = [len(part) for part in parts]
    if case.size < case.n:
        again = (where[1:] == where[:-1]).all(1)
        record["epochs_repeat"] = bool(again.all())
        record["some_epochs_repeat"] = draws.SIGMAS < again.sum()
        record["few_ways"] = len(np.unique(where, axis=0)) <= case.epochs / 10
    if case.n <= FEW and case.size < case.n:
        record["not_by_chance"] = not draws.dealt_by_chance(where, sizes)
    return record

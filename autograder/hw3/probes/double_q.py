"""Asks for the double-Q values of next states: of the method, or of an update that holds them."""

from __future__ import annotations

import contextlib
import functools
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from autograder.core import fingerprint
from autograder.hw3.critic_case import BATCH, CriticCase, critic_case, lifted_case, low_case, moves
from autograder.hw3.probe_dqn_critic import batch, build, pulls, table_of
from autograder.hw3.value_case import BELOW, only_next
from autograder.probing import Student, plain_array

BLANK = "hw3.dqn.double_q"


def probe(student: Student, seed: int) -> None:
    """Notes the values of two batches, whose tables differ in size."""
    for name, case in (("usual", critic_case(seed)), ("lifted", lifted_case(seed))):
        student.try_out(name, functools.partial(note, student, case))

    def moving(seen: dict[str, Any]) -> None:
        ask = functools.partial(values, student)
        fingerprint.note(seen, ask, critic_case(seed), moves(critic_case(seed)))
        low = replace(critic_case(seed), target=low_case(seed).target)
        fingerprint.note(seen, ask, low, only_next(moves(low)), BELOW)

    student.try_moves("double-Q values", moving)


def note(student: Student, case: CriticCase, seen: dict[str, Any]) -> None:
    """Notes the values of a batch."""
    seen["values"] = values(student, case)


def values(student: Student, case: CriticCase) -> Any:
    """Returns the double-Q values of a case's next states."""
    critic = build(student, case, double_q=True)
    if not hasattr(critic, "double_q_values"):
        return within_update(student, case, double_q=True)
    try:
        return plain_array(critic.double_q_values(torch.tensor(case.one_hot(case.next_state))))
    except BaseException as error:
        if getattr(error, "blank", None) != BLANK:
            raise
        plain = None
        with contextlib.suppress(Exception):  # then there is nothing to be judged by
            plain = within_update(student, case, double_q=False)
        if plain is None:
            raise
        double = within_update(student, case, double_q=True)
        if np.array_equal(double, plain):
            raise  # the update knows no double Q-learning either
        return double


def within_update(student: Student, case: CriticCase, double_q: bool) -> np.ndarray:
    """Returns the next values that an update uses, shape (BATCH,).

    Without rewards, ends and discount they are its targets; and a step down the gradient of the
    mean squared error tells those.
    """
    critic = build(student, case, double_q=double_q)
    critic.gamma = 1.0
    before = table_of(critic.q_net)[case.action, case.state]
    zeros = np.zeros(BATCH, np.float32)
    given = batch(case) | {"reward": zeros, "terminal": zeros}
    return np.asarray(before + pulls(critic, case, given) * BATCH / 2)

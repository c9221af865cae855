"""Asks for the double-Q values of next states: of the method, or of an update that holds them."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from autograder.hw3 import critic_world as world
from autograder.hw3.critic_world import BATCH, STATES, CriticCase, build, pulls, table_of
from autograder.hw3.value_case import one_row
from autograder.probing import Student, plain_array

BLANK = "hw3.dqn.double_q"


def probe(student: Student, seed: int) -> None:
    """Notes the values of batches: of another table, of other observations, and of one row."""
    usual = world.critic_case(seed)
    trials = {
        "usual": usual,
        "lifted": world.lifted_case(seed),
        "scaled": world.scaled_case(seed),
        "negative": world.negative_case(seed),
    }
    for name, case in trials.items():
        student.try_out(name, functools.partial(note, student, case, case))
    student.try_out("one row", functools.partial(note, student, one_row(usual), usual))
    world.note_moves(student, "double-Q values", lambda case: values(student, case, case, []), seed)


def note(student: Student, case: CriticCase, whole: CriticCase, seen: dict[str, Any]) -> None:
    """Notes the values of a batch, and whether a network is asked about anything else."""
    shown: list[np.ndarray] = []
    found = values(student, case, whole, shown)
    seen["values"] = found.ravel() if len(case.state) == 1 else found  # as targets take both
    known = np.concatenate([whole.one_hot(whole.state), whole.one_hot(whole.next_state)])
    asked = np.concatenate([*shown, known[:1]])
    seen["other_state"] = not (asked[:, None] == known).all(-1).any(-1).all()


def values(student: Student, case: CriticCase, whole: CriticCase, shown: list[np.ndarray]) -> Any:
    """Returns the double-Q values of a case's next states.

    An update that holds them is asked about `whole`, of which the case is a part: whether it goes
    with few rows, another check tells. What the method shows to networks is added to `shown`.
    """
    critic, rows = build(student, case, double_q=True), np.isin(whole.state, case.state)
    for network in (critic.q_net, critic.q_net_target):
        network.register_forward_pre_hook(
            lambda _, given: shown.append(np.reshape(given[0].detach().numpy(), (-1, STATES)))
        )
    if not hasattr(critic, "double_q_values"):
        return within_update(student, whole, double_q=True)[rows]
    try:
        return plain_array(critic.double_q_values(torch.tensor(case.one_hot(case.next_state))))
    except BaseException as error:
        if getattr(error, "blank", None) != BLANK:
            raise
        try:
            plain = within_update(student, whole, double_q=False)
        except Exception:  # noqa: BLE001  (the student's code: then there is nothing to judge)
            plain = None
        if plain is None:
            raise
        double = within_update(student, whole, double_q=True)
        if np.array_equal(double, plain):
            raise  # the update knows no double Q-learning either
        return double[rows]


def within_update(student: Student, case: CriticCase, double_q: bool) -> np.ndarray:
    """Returns the next values that an update uses, shape (BATCH,).

    Without rewards, ends and discount they are its targets; and a step down the gradient of the
    mean squared error tells those.
    """
    zeros = np.zeros(BATCH, np.float32)
    case = replace(case, reward=zeros, terminal=zeros, gamma=1.0)
    critic = build(student, case, double_q)
    scale = np.broadcast_to(case.scale, STATES)[case.state]  # a weight times it is a value
    before = table_of(critic.q_net)[case.action, case.state] * scale
    return np.asarray(before + pulls(critic, case) / scale * BATCH / 2)

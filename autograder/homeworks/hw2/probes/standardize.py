"""Asks for standardised advantages: their mean, their deviation, and whether they keep their order.

Known numbers stand for the advantages that enter this blank. So it does not pay for the other one
in its method, and its own mistakes have their names.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import numpy as np

from autograder.base.record import Trial
from autograder.homeworks.hw2.fakes import pg
from autograder.homeworks.hw2.fakes.pg import Steps
from autograder.running.experiments import Alone, note_row
from autograder.running.probing import StandIn, Student, plain_array

ADVANTAGE, STANDARDIZE = "hw2.pg.advantage", "hw2.pg.standardize"
WITHOUT = "advantages are estimated without standardising"
SETTING = "standardize_advantages"


def cases(seed: int) -> Mapping[str, Steps]:
    """Returns what is tried: advantages of many sizes, far from 0 or around it, and equal ones."""
    usual = pg.steps(seed, 0.8)
    q_n, few, many = usual.q_n, slice(8), np.resize(np.arange(pg.ROWS), 256)
    return {
        "usual": usual,
        "far below 0": replace(usual, q_n=3 * q_n - 700),
        "large": replace(usual, q_n=300 * q_n),
        "small": replace(usual, q_n=0.03 * q_n),
        "with a baseline": replace(usual, q_n=20 * q_n, settings={"nn_baseline": True}),
        "eight steps": replace(usual, q_n=q_n[few], ob_no=usual.ob_no[few]),
        "256 steps": replace(usual, q_n=q_n[many], ob_no=usual.ob_no[many]),
        "all equal": replace(usual, q_n=np.full(8, 7.25), ob_no=usual.ob_no[:8]),
    }


def observe(student: Student, case: Steps) -> dict[str, Any]:
    """Returns what became of the advantages, and of others that come in the same arrays."""
    agent, plain = (pg.build(student, **case.settings, **{SETTING: on}) for on in (True, False))
    agent.q_mean, agent.q_std = plain.q_mean, plain.q_std = 0.7, 3.0  # of another batch
    plain.critic, q_n, changed = agent.critic, case.q_n.copy(), False
    rest = {"rewards_list": [case.q_n.copy()], "terminals": np.zeros(len(q_n), np.float32)}
    for contents in (case.q_n, 1 - 2 * case.q_n[::-1]):
        q_n[:] = contents
        entered = [plain_array(plain.estimate_advantage(case.ob_no, q_values=q_n, **rest))]
        student.notes[WITHOUT], q_n[:] = True, contents
        q_at_entry = [np.copy(q_n)]
        with advantages_replaced(student, q_n, entered, q_at_entry):
            after = plain_array(agent.estimate_advantage(case.ob_no, q_values=q_n, **rest))
        before, changed = entered[-1], changed or not np.array_equal(q_n, q_at_entry[-1])
        numbers, size = pg.spread(after)
        row: dict[str, Any] = {"the deviation of the advantages, roughly": size}
        if before.std() and numbers.std():
            row["the mean of the advantages"] = numbers.mean()
            row["the largest advantage, in deviations"] = numbers.max()
            row["the correlation with what was standardised"] = np.corrcoef(before, after)[0, 1]
        else:
            row["the standardised advantages"] = numbers
        note_row(student, row)
    return {"the q-values are other ones afterwards": changed}


@contextlib.contextmanager
def advantages_replaced(
    student: Student, q_n: np.ndarray, entered: list[np.ndarray], q_at_entry: list[np.ndarray]
) -> Iterator[None]:
    """Puts known numbers in the place of the advantages where given code looks at their shape.

    Args:
        student: The student.
        q_n: The q-values, in the array that the student's code gets.
        entered: Gets a copy of what enters the blank then.
        q_at_entry: Gets a copy of the q-values as they are then.
    """
    tools = student.module("infrastructure.pytorch_util")
    check_shape, as_given = tools.check_shape, np.copy(q_n)

    def replace_them(name: str, value: Any, *rest: Any) -> None:
        check_shape(name, value, *rest)
        if name != "adv_n":
            return
        frame = sys._getframe(1)
        arguments = frame.f_code.co_varnames[: frame.f_code.co_argcount]
        # Another variable may have the same numbers, and a right line may go on with that one.
        own = [array for name, array in frame.f_locals.items() if name not in arguments]
        found = np.copy(plain_array(value))
        same = [array for array in [value, *own] if holds(array, found)]
        q_n[:] = as_given  # the blank above may have changed them
        for array in same:
            array[...] = known_advantages({**frame.f_locals, "q_values": as_given})
        entered.append(np.copy(plain_array(value)))
        q_at_entry.append(np.copy(q_n))

    with patch.object(tools, "check_shape", replace_them):
        yield


def holds(array: Any, numbers: np.ndarray) -> bool:
    """Returns whether an array has these numbers, and may get others."""
    if type(array) is not np.ndarray or array.dtype.kind != "f" or not array.flags.writeable:
        return False
    return np.array_equal(array, numbers, equal_nan=True)


def known_advantages(local: Mapping[str, Any]) -> Any:
    """Returns what stands for the advantages: with a baseline, other numbers than the q-values."""
    q_n = local["q_values"]
    return q_n * 1.0 if local["self"].critic is None else 2.0 + 1.5 * q_n[::-1]


def owner(trial: Trial) -> str:
    """Returns the blank to which an exception belongs."""
    return STANDARDIZE if WITHOUT in trial.arrays else ADVANTAGE


STAND_INS = {
    ADVANTAGE: StandIn(known_advantages, ("adv_n",)),
    STANDARDIZE: StandIn(lambda local: local["adv_n"]),
}
ALONE = Alone(STANDARDIZE, STAND_INS, owner)

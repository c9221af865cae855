"""Asks for standardised advantages: their mean, their deviation, and whether they keep their order.

They are compared with those that the student's own code estimates without standardising, so this
blank does not pay for the other one in its method.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

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
    plain.critic, q_n, changed = agent.critic, case.q_n.copy(), False
    rest = {"rewards_list": [case.q_n], "terminals": np.zeros(len(q_n), np.float32)}
    for contents in (case.q_n, 1 - 2 * case.q_n[::-1]):
        q_n[:] = contents
        before = plain_array(plain.estimate_advantage(case.ob_no, q_values=q_n, **rest))
        student.notes[WITHOUT], q_n[:] = True, contents
        after = plain_array(agent.estimate_advantage(case.ob_no, q_values=q_n, **rest))
        changed |= not np.array_equal(q_n, contents)
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


def owner(trial: Trial) -> str:
    """Returns the blank to which an exception belongs."""
    return STANDARDIZE if WITHOUT in trial.arrays else ADVANTAGE


STAND_INS = {
    ADVANTAGE: StandIn(lambda local: local["q_values"] * 1.0, ("adv_n",)),
    STANDARDIZE: StandIn(lambda local: local["adv_n"]),
}
ALONE = Alone(STANDARDIZE, STAND_INS, owner)

"""Asks for standardised advantages: their mean, their deviation, and whether they keep their order.

They are compared with those that the student's own code estimates without standardising, so this
blank does not pay for the other one in its method.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.base.record import Trial
from autograder.homeworks.hw2.fakes import pg
from autograder.running.experiments import Alone
from autograder.running.probing import StandIn, Student, plain_array

ADVANTAGE, STANDARDIZE = "hw2.pg.advantage", "hw2.pg.standardize"
WITHOUT = "advantages are estimated without standardising"


@dataclass(frozen=True)
class Batch:
    """What is known of some steps, and whether there is a baseline."""

    q_n: np.ndarray
    ob_no: np.ndarray
    nn_baseline: bool = False


def cases(seed: int) -> Mapping[str, Batch]:
    """Returns what is tried: advantages of many sizes, far from 0 or around it, and equal ones."""
    rng = np.random.default_rng([285, 55, seed])
    signs = rng.permutation(np.resize([1, 1, 1, -1], 11))
    q_n, ob_no = rng.uniform(0.3, 1.7, 11) * signs, rng.uniform(-1, 1, (11, pg.OBSERVED))
    ob_no = ob_no.astype(np.float32)
    return {
        "usual": Batch(q_n, ob_no),
        "far below 0": Batch(3 * q_n - 700, ob_no),
        "large": Batch(300 * q_n, ob_no),
        "small": Batch(0.03 * q_n, ob_no),
        "with a baseline": Batch(20 * q_n + 5, ob_no, nn_baseline=True),
        "three steps": Batch(q_n[:3], ob_no[:3]),
        "256 steps": Batch(np.resize(q_n, 256) + rng.normal(2, 1, 256), np.resize(ob_no, (256, 3))),
        "all equal": Batch(np.full(8, 7.25), ob_no[:8]),
    }


def observe(student: Student, case: Batch) -> dict[str, Any]:
    """Returns what became of the advantages, and of others that come in the same arrays."""
    agent = pg.build(student, standardize_advantages=True, nn_baseline=case.nn_baseline)
    plain = pg.build(student, nn_baseline=case.nn_baseline)
    plain.critic = agent.critic
    q_n, ob_no, terminals = case.q_n.copy(), case.ob_no, np.zeros(len(case.q_n), np.float32)
    terminals[-1] = 1.0
    found, changed = dict[str, Any](), False
    for name, contents in (("", case.q_n), (" of other steps", case.q_n[::-1] * 2 + 1)):
        q_n[:] = contents
        before = plain_array(plain.estimate_advantage(ob_no, [q_n.copy()], q_n, terminals))
        student.notes[WITHOUT], q_n[:] = True, contents
        after = plain_array(agent.estimate_advantage(ob_no, [q_n.copy()], q_n, terminals))
        changed |= not np.array_equal(q_n, contents)
        found |= {f"{what}{name}": value for what, value in described(before, after).items()}
    return {**found, "the q-values are other ones afterwards": changed}


def described(before: np.ndarray, after: np.ndarray) -> dict[str, Any]:
    """Returns what all right forms share: a deviation may be a sample's, with a small number."""
    if not before.std():
        return {"the standardised advantages": after}
    size = float(after.std()) or 1.0
    order = np.corrcoef(before, after)[0, 1] if after.std() else 0.0
    return {
        "the mean of the advantages": after.mean() / size,
        "the deviation of the advantages, as a power of 2": np.round(np.log2(size)),
        "the correlation with what was standardised": order,
    }


def owner(trial: Trial) -> str:
    """Returns the blank to which an exception belongs."""
    return STANDARDIZE if WITHOUT in trial.arrays else ADVANTAGE


STAND_INS = {
    ADVANTAGE: StandIn(lambda local: local["q_values"] * 1.0, ("adv_n",)),
    STANDARDIZE: StandIn(lambda local: local["adv_n"]),
}
ALONE = Alone(STANDARDIZE, STAND_INS, owner)

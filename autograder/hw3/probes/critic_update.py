"""Fits the bootstrapped critic: how each gradient step of one `update` moves a table."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from autograder.core import fingerprint
from autograder.hw3 import value_case as cases
from autograder.hw3.unit_steps import UnitSteps
from autograder.hw3.value_case import BELOW, LEVEL, STATES, UPDATE_ORDER, ValueCase, call, changed
from autograder.hw3.value_world import as_tensors, build_critic, hands_over_tensors
from autograder.probing import Student, kept_graphs

# A trial's num_target_updates and num_grad_steps_per_target_update. With one step a target nothing
# crashes that forgets to cut the graph; (3, 1) and (1, 3) tell which of the two loops is which.
TRIALS = {
    "one step": (1, 1),
    "several targets and steps": (2, 3),
    "several targets": (3, 1),
    "several steps": (1, 3),
}
LARGE = 100.0  # times the usual rewards: beyond whatever losses are clipped to
FAR, TINY = "large errors", 1e-6


def probe(student: Student, seed: int) -> None:
    """Updates a critic under four schedules; and once each with other values, and other ends.

    What does not go with arrays is tried with tensors, where the student's own agent hands those
    over.
    """
    case = cases.value_case(seed)
    others = {
        "scaled observations": cases.scaled(case, seed),
        FAR: replace(case, reward=LARGE * case.reward),
        "one row": cases.one_row(case),
        "values far above 0": cases.lifted(case),
        "values far below 0": cases.lifted(case, -LEVEL),
        "no episode ends": replace(case, terminal=np.zeros_like(case.terminal)),
        "every episode ends": replace(case, terminal=np.ones_like(case.terminal)),
    }
    plays = {name: (case, name, True) for name in TRIALS}
    plays |= {name: (other, "one step", name != FAR) for name, other in others.items()}
    ways = {name: functools.partial(learn, student, *each) for name, each in plays.items()}
    trials = [student.try_out(name, functools.partial(way, False)) for name, way in ways.items()]
    if any(trial.crash for trial in trials) and hands_over_tensors(student, "critic"):
        for name, way in ways.items():  # what crashes with tensors, too, is told of those
            student.try_out(name, functools.partial(way, True))
    student.try_moves("updates", functools.partial(moving, student, case))


def moving(student: Student, case: ValueCase, seen: dict[str, Any]) -> None:
    """What one gradient step depends on: how far each value is pulled towards its target."""

    def pulls(case: ValueCase) -> np.ndarray:
        critic = build_critic(student, case)
        network = critic.critic_network
        critic.optimizer = torch.optim.SGD([network.weight], lr=1.0)
        call(critic.update, UPDATE_ORDER, case.arrays())
        change: np.ndarray = (network.weight.detach().numpy()[0] - case.table)[case.state]
        return change

    fingerprint.note(seen, pulls, case, cases.moves(case))
    low = cases.lifted(case, -LEVEL)
    fingerprint.note(seen, pulls, low, cases.only_next(cases.moves(low)), BELOW)


def learn(
    student: Student,
    case: ValueCase,
    schedule: str,
    exact: bool,
    tensors: bool,
    seen: dict[str, Any],
) -> None:
    """Calls `update` once, with arrays or tensors, and notes every step of it, however it ends.

    Where it is not to be `exact`, only where each value goes: losses other than the squared error
    lead elsewhere, and are right.
    """
    critic = build_critic(student, case, *TRIALS[schedule])
    table = critic.critic_network.weight
    steps = UnitSteps([table])
    optimizers = [
        n for n, value in vars(critic).items() if isinstance(value, torch.optim.Optimizer)
    ]
    for name in {"optimizer", *optimizers}:
        setattr(critic, name, steps)
    arrays = as_tensors(case.arrays()) if tensors else case.arrays()
    try:
        call(critic.update, UPDATE_ORDER, arrays)
    finally:
        moves = np.reshape([move.numpy() for move in steps.moves], (-1, STATES))
        own = moves[:, np.unique(case.state)]
        seen["moves"] = own if exact else np.sign(np.where(np.abs(own) > TINY, own, 0))
        seen["other_moves"] = np.delete(moves, case.state, 1).sum(1)
        seen["no_backward"] = steps.arrived == 0
        seen["moved"] = not np.array_equal(table.detach().numpy()[0], case.table)
        seen["inputs_changed"] = any(changed(case.arrays(), arrays))
        seen["keeps_graphs"] = kept_graphs(critic) > 0

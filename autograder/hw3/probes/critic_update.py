"""Fits the bootstrapped critic: how each gradient step of one `update` moves a table."""

from __future__ import annotations

import functools
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import nn

from autograder.core import fingerprint
from autograder.hw3.value_case import (
    BELOW,
    LEVEL,
    STATES,
    UPDATE_ORDER,
    ValueCase,
    call,
    changed,
    lifted,
    moves,
    one_row,
    only_next,
    scaled,
    value_case,
)
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
STEP_SIZE = 0.1  # of the table, whatever the loss: its scale then plays no part
MOST_STEPS = 40


class UnitSteps(torch.optim.SGD):
    """Takes steps of one length down the gradient, and keeps where each led."""

    def __init__(self, table: nn.Parameter) -> None:
        """Watches `table`, shape (1, STATES)."""
        super().__init__([table], lr=STEP_SIZE)
        self.table = table
        self.moves: list[np.ndarray] = []
        self.backwards = 0
        table.register_hook(self._count)  # type: ignore[no-untyped-call]

    def _count(self, grad: torch.Tensor) -> None:
        self.backwards += 1

    def step(self, closure: Any = None) -> Any:
        """Takes a step."""
        with torch.enable_grad():
            loss = None if closure is None else closure()
        grad = self.table.grad
        move = np.zeros(STATES, np.float32) if grad is None else -np.nan_to_num(grad.numpy()[0])
        size = float(np.linalg.norm(move))
        move = move / size if size > 0 else move
        if len(self.moves) < MOST_STEPS:
            self.moves.append(move)
        with torch.no_grad():
            self.table.add_(torch.as_tensor(move), alpha=STEP_SIZE)
        return loss


def probe(student: Student, seed: int) -> None:
    """Updates a critic under four schedules; and once each with other values, and other ends.

    What does not go with arrays is tried with tensors, where the student's own agent hands those
    over.
    """
    case = value_case(seed)
    others = {
        "scaled observations": scaled(case, seed),
        FAR: replace(case, reward=LARGE * case.reward),
        "one row": one_row(case),
        "values far above 0": lifted(case),
        "values far below 0": lifted(case, -LEVEL),
        "no episode ends": replace(case, terminal=np.zeros_like(case.terminal)),
        "every episode ends": replace(case, terminal=np.ones_like(case.terminal)),
    }
    plays = {name: (case, name, True) for name in TRIALS}
    plays |= {name: (other, "one step", name != FAR) for name, other in others.items()}
    ways = {name: functools.partial(learn, student, *play) for name, play in plays.items()}
    trials = [student.try_out(name, functools.partial(way, False)) for name, way in ways.items()]
    if any(trial.crash for trial in trials) and hands_over_tensors(student, "critic"):
        for name, way in ways.items():
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

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of shapes that do not match
        fingerprint.note(seen, pulls, case, moves(case))
        low = lifted(case, -LEVEL)
        fingerprint.note(seen, pulls, low, only_next(moves(low)), BELOW)


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
    steps = watch(critic)
    arrays = as_tensors(case.arrays()) if tensors else case.arrays()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch says much about shapes; the numbers say more
            call(critic.update, UPDATE_ORDER, arrays)
    finally:
        seen["moves"] = np.reshape(steps.moves, (-1, STATES))[:, np.unique(case.state)]
        if not exact:
            seen["moves"] = np.sign(np.where(np.abs(seen["moves"]) > TINY, seen["moves"], 0))
        seen["other_moves"] = np.delete(np.reshape(steps.moves, (-1, STATES)), case.state, 1).sum(1)
        seen["no_backward"] = steps.backwards == 0
        seen["moved"] = not np.array_equal(steps.table.detach().numpy()[0], case.table)
        seen["inputs_changed"] = any(changed(case.arrays(), arrays))
        seen["keeps_graphs"] = kept_graphs(critic) > 0


def watch(critic: Any) -> UnitSteps:
    """Gives the critic an optimizer that is watched, in place of any that it has."""
    steps = UnitSteps(critic.critic_network.weight)
    names = [n for n, value in vars(critic).items() if isinstance(value, torch.optim.Optimizer)]
    for name in {"optimizer", *names}:
        setattr(critic, name, steps)
    return steps

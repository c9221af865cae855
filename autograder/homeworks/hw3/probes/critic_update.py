"""Fits the bootstrapped critic: how each gradient step of one `update` moves a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from autograder.homeworks.hw3.fakes import actor_critic as fake
from autograder.homeworks.hw3.fakes import transitions as batches
from autograder.homeworks.hw3.fakes.transitions import LEVEL, STATES, UPDATE_ORDER, ValueCase, call
from autograder.running.experiments import Moves
from autograder.running.made_of import Parts
from autograder.running.probing import Student, kept_graphs
from autograder.running.unit_steps import UnitSteps

LARGE = 100.0  # times the usual rewards: beyond whatever losses are clipped to
TINY = 1e-6


def cases(seed: int) -> Mapping[str, ValueCase]:
    """Returns four schedules; and one step with other values, other rewards and other ends.

    With one step a target nothing crashes that forgets to cut the graph. "several targets" and
    "several steps" tell which of the two loops is which.
    """
    case = batches.value_case(seed)
    return {
        "one step": case,
        "several targets and steps": replace(case, target_updates=2, grad_steps=3),
        "several targets": replace(case, target_updates=3),
        "several steps": replace(case, grad_steps=3),
        "scaled observations": batches.scaled(case, seed),
        "large errors": replace(case, reward=LARGE * case.reward, exact=False),
        "one row": batches.chosen(case, slice(1)),
        "values far above 0": batches.lifted(case),
        "values far below 0": batches.lifted(case, -LEVEL),
        "no episode ends": replace(case, terminal=np.zeros_like(case.terminal)),
        "every episode ends": replace(case, terminal=np.ones_like(case.terminal)),
    }


def forms(student: Student) -> Iterator[bool]:
    """Yields whether `update` is given tensors."""
    return fake.arrays_or_tensors(student, "critic")


def moves(seed: int) -> Iterator[Moves]:
    """Moves each input of one gradient step, also where values are far below 0."""
    usual = batches.value_case(seed)
    low = batches.lifted(usual, -LEVEL)
    yield from batches.moved_inputs("updates", usual, low, batches.moves, pulls)


def parts(seed: int) -> Iterator[Parts]:
    """Yields what targets less predictions may be made of: of small errors, and of large ones."""
    cases = batches.small_and_large(seed)
    yield Parts("targets less predictions", cases, pulls, batches.pieces, scale=True)


def pulls(student: Student, case: ValueCase) -> np.ndarray:
    """Returns how far one step pulls each value towards its target."""
    critic = fake.build_critic(student, case)
    network = critic.critic_network
    critic.optimizer = torch.optim.SGD([network.weight], lr=1.0)
    call(critic.update, UPDATE_ORDER, case.arrays())
    change: np.ndarray = (network.weight.detach().numpy()[0] - case.table)[case.state]
    return change


def observe(student: Student, case: ValueCase, tensors: bool = False) -> dict[str, Any]:
    """Returns every step of one `update`, of which no scale of the loss plays a part."""
    critic = fake.build_critic(student, case)
    table = critic.critic_network.weight
    critic.optimizer = steps = UnitSteps([table])
    with student.up_to_a_crash():
        call(critic.update, UPDATE_ORDER, fake.lend(student, case, tensors))
    moved = np.reshape([move.numpy() for move in steps.moves], (-1, STATES))
    own = moved[:, np.unique(case.state)]
    before = fake.table_network(case).weight
    moves_itself = not torch.equal(table.detach(), before.detach())
    return {
        "steps": len(moved),
        "other_optimizer": not steps.moves and moves_itself,
        "moves": own if case.exact else np.sign(np.where(np.abs(own) > TINY, own, 0)),
        "other_moves": np.delete(moved, case.state, 1).sum(1),
        "no_backward": steps.arrived == 0,
        "moved": not np.array_equal(table.detach().numpy()[0], case.table),
        "keeps_graphs": kept_graphs(critic) > 0,
    }

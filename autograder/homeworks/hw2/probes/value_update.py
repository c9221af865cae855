"""Fits V(s) to targets: the direction of each gradient step, whose length plays no part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import nn

from autograder.running.experiments import note_row
from autograder.running.probing import Student, kept_graphs
from autograder.running.unit_steps import UnitSteps

OB_DIM = 5


@dataclass(frozen=True)
class Fit:
    """Observations, targets, and the weights of a linear V(s)."""

    ob_no: np.ndarray
    target_n: np.ndarray
    weight_o: np.ndarray


def cases(seed: int) -> Mapping[str, Fit]:
    """Returns what is tried: targets near V(s) and far from it, large ones, few rows and many."""
    rng = np.random.default_rng([285, 57, seed])
    ob_no = rng.uniform(-1.5, 1.5, (11, OB_DIM)).astype(np.float32)
    weight_o = rng.uniform(-1, 1, OB_DIM).astype(np.float32)
    signs = rng.permutation(np.resize([1, 1, -1], 11))
    error_n = signs * np.geomspace(0.3, 4.0, 11)  # beyond where Huber's loss is a parabola
    usual = Fit(ob_no, ob_no @ weight_o + error_n + 0.8, weight_o)
    many = rng.uniform(-1.5, 1.5, (256, OB_DIM)).astype(np.float32)
    return {
        "usual": usual,
        "large targets": replace(usual, target_n=300 * usual.target_n),
        "targets nearly reached": replace(usual, target_n=ob_no @ weight_o + error_n / 1000),
        "one row": Fit(ob_no[:1], usual.target_n[:1], weight_o),
        "256 rows": Fit(many, rng.normal(0.5, 1, 256), weight_o),
        "float32": replace(usual, target_n=usual.target_n.astype(np.float32)),
    }


def observe(student: Student, case: Fit) -> dict[str, Any]:
    """Notes the step of an update, and of another one, whose numbers come in the same arrays."""
    critic = student.module("critics.value_critic").ValueCritic(OB_DIM, 1, 7, 0.01)
    critic.critic_network = network = nn.Linear(OB_DIM, 1, bias=False)
    critic.optimizer = steps = UnitSteps([*network.parameters()])
    ob_no, target_n, changed = case.ob_no.copy(), case.target_n.copy(), False
    for sign in (1.0, -2.0):
        network.weight.data = torch.as_tensor(case.weight_o[None]).clone()
        ob_no[:], target_n[:] = np.roll(case.ob_no, sign < 0, 1), sign * case.target_n
        before = ob_no.copy(), target_n.copy()
        steps.begin()
        with student.up_to_a_crash(), steps.counting():
            critic.update(ob_no, target_n)
        note_row(student, steps.in_rows(torch.as_tensor(case.weight_o)))
        changed |= not all(map(np.array_equal, before, (ob_no, target_n)))
        if student.crashed is not None:
            break
    graphs = kept_graphs(critic) > 0
    return {"arrays that were given are changed": changed, "keeps_graphs": graphs}

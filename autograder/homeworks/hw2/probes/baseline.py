"""Lets the agent fit its baseline: how often, and towards which targets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from autograder.homeworks.hw2.fakes import pg
from autograder.running.probing import Student, number_in, plain_array


@dataclass(frozen=True)
class Fit:
    """The q-values of a batch, and the number of steps that are asked for."""

    q_n: np.ndarray
    ob_no: np.ndarray
    steps: int = 3


def cases(seed: int) -> Mapping[str, Fit]:
    """Returns what is tried: q-values of many sizes, several numbers of steps, equal q-values."""
    rng = np.random.default_rng([285, 56, seed])
    q_n = rng.uniform(0.3, 1.7, 11) * rng.permutation(np.resize([1, 1, 1, -1], 11))
    usual = Fit(q_n, rng.uniform(-1, 1, (11, pg.OBSERVED)).astype(np.float32))
    return {
        "usual": usual,
        "one step": replace(usual, steps=1),
        "seven steps": replace(usual, steps=7),
        "large q-values": replace(usual, q_n=300 * q_n),
        "q-values far below 0": replace(usual, q_n=3 * q_n - 700),
        "all equal": Fit(np.full(8, 7.25), usual.ob_no[:8]),
    }


class Notes:
    """Stands in for the baseline's update: notes what it is given, and learns something."""

    def __init__(self, critic: Any) -> None:
        """Begins with none; each loss is smaller than the one before."""
        self.critic, self.seen, self.gradients = critic, [], True
        self.losses: list[float] = []

    def update(self, ob_no: Any, target_n: Any) -> float:
        """Notes a call; refuses what the real one refuses."""
        if tuple(target_n.shape) != (len(ob_no),):
            raise ValueError(f"target_n has shape {tuple(target_n.shape)}")
        self.seen.append((plain_array(ob_no).copy(), plain_array(target_n).copy()))
        self.gradients &= torch.is_grad_enabled()
        with torch.no_grad():
            for weight in self.critic.parameters():
                weight.mul_(1.25)
        self.losses.append(0.5 / len(self.seen))
        return self.losses[-1]


def observe(student: Student, case: Fit) -> dict[str, Any]:
    """Returns what the baseline was given, for a batch and for another one in the same arrays."""
    agent = pg.build(student, nn_baseline=True, baseline_gradient_steps=case.steps)
    q_n, ob_no, changed = case.q_n.copy(), case.ob_no.copy(), False
    found = dict[str, Any]()
    for name, sign in (("", 1), (" in another batch", -2)):
        q_n[:], ob_no[:] = sign * case.q_n, sign * case.ob_no
        notes = Notes(agent.critic)
        agent.critic.update = notes.update
        with student.up_to_a_crash():
            loss = number_in(agent._fit_baseline(agent.critic, ob_no, q_n))
            losses = notes.losses or [np.nan]
            found[f"a loss is returned{name}"] = min(losses) <= loss <= max(losses)
        found |= {f"{what}{name}": value for what, value in described(notes, ob_no).items()}
        changed |= not np.array_equal(q_n, sign * case.q_n)
        changed |= not np.array_equal(ob_no, sign * case.ob_no)
        if student.crashed is not None:
            break
    return {**found, "arrays that were given are changed": changed}


def described(notes: Notes, ob_no: np.ndarray) -> dict[str, Any]:
    """Returns what all right forms share: the deviation may be that of a sample."""
    targets = [target_n for _, target_n in notes.seen]
    sizes = [float(target_n.std()) or 1.0 for target_n in targets]
    return {
        "the number of steps": len(targets),
        "the targets of each step, divided by their deviation": [
            target_n / size for target_n, size in zip(targets, sizes, strict=True)
        ],
        "the deviation of the targets, as a power of 2": np.round(np.log2(sizes)),
        "each step has the observations": all(np.array_equal(ob, ob_no) for ob, _ in notes.seen),
        "without_gradients": not notes.gradients,
    }

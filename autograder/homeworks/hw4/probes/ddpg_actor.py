"""Asks for DDPG's loss of the actor, of real networks, and follows its gradient."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from autograder.homeworks.hw4.fakes import networks
from autograder.running import draws
from autograder.running.probing import Student, plain_array


@dataclass(frozen=True)
class States:
    """Where the actor acts, and the size and the mean of what the critic says of that."""

    ob_no: np.ndarray
    size: int = 1
    level: int = 0  # in units of the size


def cases(seed: int) -> Mapping[str, States]:
    """Returns what is tried: values of both signs, small and of hundreds; one state and many."""
    rng = np.random.default_rng([285, 83, seed])
    usual = States(rng.normal(0.0, 1.0, (11, networks.OB_DIM)).astype(np.float32))
    many = rng.normal(0.0, 2.0, (256, networks.OB_DIM)).astype(np.float32)
    return {
        "usual": usual,
        "values far above 0": replace(usual, size=300, level=2),
        "values far below 0": replace(usual, size=300, level=-2),
        "one row": States(usual.ob_no[:1]),
        "256 rows": States(many, 10),
    }


def observe(student: Student, case: States) -> dict[str, Any]:
    """Returns the loss and where it leads; again, and once both networks have other weights."""
    policy_loss = student.module("agents.ddpg_agent").policy_loss
    both = networks.actor_and_critic(student, 1, case.size, case.level)
    ob_no = torch.as_tensor(case.ob_no)
    biases = [weight for weight in both[0].parameters() if weight.ndim == 1]
    before, record = networks.flags_of(*both), dict[str, Any]()
    for when in ("", ", once the networks have moved"):
        loss = policy_loss(ob_no, *both)
        first, again = plain_array(loss), plain_array(policy_loss(ob_no, *both))
        record[f"not_repeatable{when}"] = not draws.repeated(first, again)
        record |= networks.left_behind(before, *both)
        if record["gradients_left"]:  # there is no graph to follow any more
            return record
        record[f"loss{when}"] = first
        record[f"gradient by the actor's biases{when}"] = networks.gradients(loss, biases)
        networks.set_weights(both[0], 7)
        networks.set_weights(both[1], 8, case.size, case.level)
    return record

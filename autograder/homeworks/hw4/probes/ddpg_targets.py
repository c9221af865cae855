"""Asks for DDPG's targets, of real networks: ends of episodes, large values, a batch of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from autograder.homeworks.hw4.fakes import networks
from autograder.running import draws
from autograder.running.probing import Student, plain_array

RESULTS, ROWS, ENDS = "targets", 11, (2, 5, 6, 9)


@dataclass(frozen=True)
class Batch:
    """What the targets are made of, and size and level of what the target critic says."""

    re_n: np.ndarray
    next_ob_no: np.ndarray
    terminal_n: np.ndarray
    discount: float
    size: int = 1
    level: float = 0.0  # of all values, in units of their size


def cases(seed: int) -> Mapping[str, Batch]:
    """Returns what is tried: rewards and values of both signs, small and of hundreds."""
    rng = np.random.default_rng([285, 82, seed])
    re_n = (rng.uniform(0.3, 1.7, ROWS) * rng.choice([-1, 1], ROWS)).astype(np.float32)
    next_ob_no = rng.normal(0.0, 1.5, (ROWS, networks.OB_DIM)).astype(np.float32)
    ends = np.isin(np.arange(ROWS), ENDS).astype(np.float32)
    usual = Batch(re_n, next_ob_no, ends, float(rng.uniform(0.6, 0.85)), level=0.7)
    large = replace(usual, re_n=300 * usual.re_n, size=300, level=0.0)  # all are below 0
    return {
        "usual": usual,
        "large": large,
        "all ended": replace(usual, terminal_n=0 * ends + 1),
        "none ended": replace(large, terminal_n=0 * ends, discount=1.0, level=1.6),
        "discount 0": replace(usual, discount=0.0),
        "one row": replace(usual, re_n=re_n[:1], next_ob_no=next_ob_no[:1], terminal_n=ends[:1]),
    }


def observe(student: Student, case: Batch) -> dict[str, Any]:
    """Returns the targets; again, and once both networks have other weights."""
    bellman_targets = student.module("agents.ddpg_agent").bellman_targets
    batch = [torch.as_tensor(x) for x in (case.re_n, case.next_ob_no, case.terminal_n)]
    both = networks.actor_and_critic(student, 1, case.size, case.level)
    before = networks.flags_of(*both)
    with torch.no_grad():  # as `update` does
        y_n, again = (
            bellman_targets(*(x.clone() for x in batch), *both, case.discount) for _ in range(2)
        )
        first, second = plain_array(y_n), plain_array(again)
        networks.set_weights(both[0], 7)
        networks.set_weights(both[1], 8, case.size, case.level)
        given = [x.clone() for x in batch]
        later = plain_array(bellman_targets(*given, *both, case.discount))
    return {
        "y_n": first,
        "y_n, once the target networks have moved": later,
        "inputs_changed": not all(map(torch.equal, given, batch)),
        "no_tensor": not torch.is_tensor(y_n),
        "not_repeatable": not draws.repeated(first, second),
        **networks.left_behind(before, *both),
    }

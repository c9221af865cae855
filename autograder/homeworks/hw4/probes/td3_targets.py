"""Asks for TD3's targets: two critics that disagree, ends of episodes, and large values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from autograder.running.made_of import Parts, Pieces, bellman
from autograder.running.probing import Student, plain_array

RESULTS, ROWS, ENDS = "targets", 11, (2, 5, 6, 9)


@dataclass(frozen=True)
class Batch:
    """What the targets are made of; `next_q_kn` is what the target critics say of a'."""

    re_n: np.ndarray
    terminal_n: np.ndarray
    next_q_kn: np.ndarray
    discount: float


def cases(seed: int) -> Mapping[str, Batch]:
    """Returns what is tried: values of both signs; each critic's is the smaller one somewhere."""
    rng = np.random.default_rng([285, 81, seed])
    numbers = rng.uniform(0.3, 1.7, (3, ROWS)) * rng.choice([-1, 1], (3, ROWS))
    numbers[1:, :4] = [[1.9, -0.4, 1.1, -1.3], [-0.5, 1.8, -0.7, -0.2]]
    numbers = numbers.astype(np.float32)
    ends = np.isin(np.arange(ROWS), ENDS).astype(np.float32)
    usual = Batch(numbers[0], ends, numbers[1:], float(rng.uniform(0.6, 0.85)))
    return {
        "usual": usual,
        "large": replace(usual, re_n=300 * usual.re_n, next_q_kn=300 * usual.next_q_kn),
        "all ended": replace(usual, terminal_n=0 * ends + 1),
        "none ended": replace(usual, terminal_n=0 * ends, discount=1.0),
        "one row": Batch(usual.re_n[:1], ends[:1], usual.next_q_kn[:, :1], usual.discount),
    }


def parts(seed: int) -> Iterator[Parts]:
    """Yields what targets may be made of."""
    every = cases(seed)
    rows = [every["usual"], every["large"]]
    yield Parts("targets", rows, lambda student, case: observe(student, case)["y_n"], pieces)


def pieces(case: Batch) -> Pieces:
    """Returns reward, discount, mask, and what the critics' values may be joined to."""
    q_kn, names = case.next_q_kn, ("re_n", "discount", "terminal_n")
    values = {
        "the smaller critic's value": q_kn.min(0),
        "the larger critic's value": q_kn.max(0),
        "the critics' mean value": q_kn.mean(0),
        "the first critic's value": q_kn[0],
        "the second critic's value": q_kn[1],
        "the critics' distance": abs(q_kn[0] - q_kn[1]),
    }
    return bellman(case.re_n, case.discount, case.terminal_n, values, names)


def observe(student: Student, case: Batch) -> dict[str, Any]:
    """Returns the targets, and those of other values."""
    clipped_double_targets = student.module("agents.td3_agent").clipped_double_targets
    re_n, terminal_n, q_kn = map(torch.as_tensor, (case.re_n, case.terminal_n, case.next_q_kn))
    with torch.no_grad():  # as `update` does
        y_n = clipped_double_targets(re_n, terminal_n, q_kn, case.discount)
        again = clipped_double_targets(re_n, terminal_n, 2.0 * q_kn, case.discount)
    return {
        "y_n": plain_array(y_n),
        "y_n of other values": plain_array(again),
        "no_tensor": not torch.is_tensor(y_n),
    }

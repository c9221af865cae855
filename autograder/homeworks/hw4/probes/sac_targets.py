"""Asks for SAC's targets: entropy, ends of episodes, temperatures, and large values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from autograder.running.probing import Student, plain_array

RESULTS, ROWS, ENDS = "targets", 11, (2, 5, 6, 9)


@dataclass(frozen=True)
class SoftBatch:
    """The arguments of `soft_targets`."""

    re_n: np.ndarray
    terminal_n: np.ndarray
    v_kn: np.ndarray
    next_log_pi_n: np.ndarray
    alpha: float
    discount: float

    def rows(self, number: int) -> SoftBatch:
        """Returns the first rows of the batch."""
        names = ("re_n", "terminal_n", "next_log_pi_n")
        few = {name: getattr(self, name)[:number] for name in names}
        return replace(self, v_kn=self.v_kn[:, :number], **few)


def cases(seed: int) -> Mapping[str, SoftBatch]:
    """Returns what is tried: one critic, or two that agree or differ."""
    rng = np.random.default_rng([285, 83, seed])
    numbers = rng.uniform(0.3, 1.7, (4, ROWS)) * rng.choice([-1, 1], (4, ROWS))
    reward, v, other_v, log_pi = numbers.astype(np.float32)
    ends = np.isin(np.arange(ROWS), ENDS).astype(np.float32)
    alpha, discount = rng.uniform([0.3, 0.6], [0.7, 0.85])
    usual = SoftBatch(reward, ends, v[None], 3 * log_pi, float(alpha), float(discount))
    two = replace(usual, v_kn=np.stack([v, v]))
    return {
        "usual": usual,
        "large": replace(usual, re_n=30 * reward, v_kn=300 * usual.v_kn),
        "all ended": replace(usual, terminal_n=0 * ends + 1),
        "none ended": replace(usual, terminal_n=0 * ends),
        "hot": replace(usual, alpha=20.0, discount=1.0),
        "cold": replace(usual, alpha=0.05),
        "coldest": replace(usual, alpha=1e-4),
        "no discount": replace(usual, discount=1.0),
        "nothing counts later": replace(usual, discount=0.0),
        "one row": usual.rows(1),
        "two critics": two,
        "two critics, two rows": two.rows(2),
        "critics that differ": replace(two, v_kn=np.stack([v, other_v])),
    }


def observe(student: Student, case: SoftBatch) -> dict[str, Any]:
    """Returns the targets."""
    arrays = (case.re_n, case.terminal_n, case.v_kn, case.next_log_pi_n)
    tensors = [torch.tensor(array) for array in arrays]
    soft_targets = student.module("agents.sac_agent").soft_targets
    y_kn = soft_targets(*tensors, torch.tensor([case.alpha]), case.discount)
    return {"y_kn": plain_array(y_kn)}

"""Asks for SAC's targets: entropy, ends of episodes, temperatures, and large values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.homeworks.hw4.fakes import soft_targets
from autograder.homeworks.hw4.fakes.soft_targets import SoftBatch
from autograder.running.experiments import Alone
from autograder.running.probing import Student, plain_array

ALONE = Alone(soft_targets.TARGETS, soft_targets.STAND_INS, soft_targets.owner_of)
RESULTS, ROWS, ENDS = "targets", 11, (2, 5, 6, 9)


def cases(seed: int) -> Mapping[str, SoftBatch]:
    """Returns what is tried.

    One critic, or two that agree, have one V in all backups: a neighbour's mistake is not seen.
    """
    rng = np.random.default_rng([285, 83, seed])
    numbers = rng.uniform(0.3, 1.7, (4, ROWS)) * rng.choice([-1, 1], (4, ROWS))
    reward, q, other_q, log_pi = numbers.astype(np.float32)
    ends = np.isin(np.arange(ROWS), ENDS).astype(np.float32)
    alpha, discount = rng.uniform([0.3, 0.6], [0.7, 0.85])
    usual = SoftBatch(reward, ends, q[None], 3 * log_pi, float(alpha), float(discount), "single")
    two = replace(usual, next_q_kn=np.stack([q, q]), q_backup="clipped")
    large = replace(usual, re_n=30 * reward, next_q_kn=300 * usual.next_q_kn)
    few = {name: getattr(two, name)[:2] for name in ("re_n", "terminal_n", "next_log_pi_n")}
    one = {name: array[:1] for name, array in few.items()}
    return {
        "usual": usual,
        "large": large,
        "all ended": replace(usual, terminal_n=0 * ends + 1),
        "none ended": replace(usual, terminal_n=0 * ends),
        "hot": replace(usual, alpha=20.0, discount=1.0),
        "cold": replace(usual, alpha=0.05),
        "coldest": replace(usual, alpha=1e-4),
        "no discount": replace(usual, discount=1.0),
        "nothing counts later": replace(usual, discount=0.0),
        "one row": replace(usual, next_q_kn=usual.next_q_kn[:, :1], **one),
        "two critics": two,
        "two critics, two rows": replace(two, next_q_kn=two.next_q_kn[:, :2], **few),
        "critics that differ": replace(two, next_q_kn=np.stack([q, other_q]), q_backup="double"),
    }


def observe(student: Student, case: SoftBatch) -> dict[str, Any]:
    """Returns the targets; of critics that differ, whether these do as their values V do."""
    v, y = (plain_array(values) for values in soft_targets.ask(student, case))
    if case.q_backup != "double":
        return {"y_kn": y}
    if v.shape != y.shape or len(v) != 2:
        return {"other_values": False}  # of targets of another shape, the other trials tell
    apart = (y[0] - y[1]) * (v[0] - v[1])
    return {"other_values": bool((apart[case.terminal_n == 0] < 0).any())}

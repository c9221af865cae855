"""Asks which critic's values enter SAC's targets, in each of the three kinds of backup."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from autograder.homeworks.hw4.fakes import soft_targets
from autograder.homeworks.hw4.fakes.soft_targets import SoftBatch
from autograder.running import draws
from autograder.running.experiments import Alone
from autograder.running.probing import Student, plain_array

ALONE = Alone(soft_targets.BACKUP, soft_targets.STAND_INS, soft_targets.owner_of)
ROWS, TIMES = 7, 24


def cases(seed: int) -> Mapping[str, SoftBatch]:
    """Returns what is tried; nothing but V enters these targets, and each critic is smaller once.

    Values are never equal, and of both signs. A batch of two rows has as many rows as critics.
    """
    rng = np.random.default_rng([285, 82, seed])
    q_kn = (rng.uniform(0.3, 1.7, (2, ROWS)) * rng.choice([-1, 1], (2, ROWS))).astype(np.float32)
    q_kn[:, :4] = [[1.9, -0.4, -1.3, 1.1], [-0.5, 1.8, -0.7, 0.2]]
    zeros = np.zeros(ROWS, np.float32)
    double = SoftBatch(zeros, zeros, q_kn, zeros, 0.0, 1.0, "double")
    clipped = replace(double, q_backup="clipped")
    return {
        "single": rows(replace(double, next_q_kn=q_kn[:1], q_backup="single"), ROWS),
        "double": double,
        "clipped": clipped,
        "double, large": replace(double, next_q_kn=300 * q_kn),
        "clipped, large": replace(clipped, next_q_kn=300 * q_kn),
        "double, two rows": rows(double, 2),
        "clipped, two rows": rows(clipped, 2),
        "double, one row": rows(double, 1),
        "clipped, one row": rows(clipped, 1),
    }


def rows(case: SoftBatch, number: int) -> SoftBatch:
    """Returns the first rows of a batch."""
    zeros, q_kn = np.zeros(number, np.float32), case.next_q_kn[:, :number]
    return replace(case, re_n=zeros, terminal_n=zeros, next_log_pi_n=zeros, next_q_kn=q_kn)


def observe(student: Student, case: SoftBatch) -> dict[str, Any]:
    """Returns V, or the targets where there is no such variable."""
    found = []
    for _ in range(TIMES):
        v_kn, y_kn = soft_targets.ask(student, case)
        found.append(plain_array(v_kn if isinstance(v_kn, torch.Tensor) else y_kn))
    same = all(draws.repeated(found[0], each) for each in found)
    return {"v_kn": found[0] if same else np.empty(0), "not_repeatable": not same}

"""Asks which critic's values enter SAC's targets, in each of the three kinds of backup."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from autograder.running import draws
from autograder.running.probing import Student, plain_array

ROWS, TIMES = 7, 24


def cases(seed: int) -> Mapping[str, tuple[np.ndarray, str]]:
    """Returns what is tried; each critic is smaller once.

    Values are never equal, and of both signs. A batch of two rows has as many rows as critics.
    """
    rng = np.random.default_rng([285, 82, seed])
    q_kn = (rng.uniform(0.3, 1.7, (2, ROWS)) * rng.choice([-1, 1], (2, ROWS))).astype(np.float32)
    q_kn[:, :4] = [[1.9, -0.4, -1.3, 1.1], [-0.5, 1.8, -0.7, 0.2]]
    found = {"single": (q_kn[:1], "single")}
    for name in ("double", "clipped"):
        found[name] = q_kn, name
        found[f"{name}, large"] = 300 * q_kn, name
        found[f"{name}, two rows"] = q_kn[:, :2], name
        found[f"{name}, one row"] = q_kn[:, :1], name
    return found


def observe(student: Student, case: tuple[np.ndarray, str]) -> dict[str, Any]:
    """Returns V; Q is a new tensor each time, because to exchange its rows in place is right."""
    q_kn, q_backup = case
    backup_values = student.module("agents.sac_agent").backup_values
    found = [plain_array(backup_values(torch.tensor(q_kn), q_backup)) for _ in range(TIMES)]
    same = all(draws.repeated(found[0], each) for each in found)
    return {"v_kn": found[0] if same else np.empty(0), "not_repeatable": not same}

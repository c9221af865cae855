"""SAC as a whole: the student's agent trains under the script that ours had.

The noise of actions comes from a list as well: given code draws it, and hands it to the blanks.
"""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np
import torch

from autograder.homeworks.hw4.fakes.whole_agents import beside, training
from autograder.running.probing import Student
from autograder.running.training import Beside, Training
from autograder.running.watching import Part


class Scripted(Beside):
    """A `Beside` in which `torch.randn_like` plays from a list."""

    def observe(self, student: Student, case: Training) -> dict[str, np.ndarray]:
        """Trains the student's agent; returns its streams."""
        rng = np.random.default_rng(19)

        def randn_like(tensor: torch.Tensor, **_: object) -> torch.Tensor:
            return torch.from_numpy(rng.standard_normal(tensor.shape).astype(np.float32))

        with patch.object(torch, "randn_like", randn_like):
            return super().observe(student, case)


SQUASHED, AGENT = "policies.squashed_policy", "agents.sac_agent"
PLAIN: dict[str, Any] = {"size": 3, "level": 0.5, "learning_rate": 3e-3}
LARGE: dict[str, Any] = {"size": 300, "level": -1, "learning_rate": 2e-2}
TRAININGS = {
    "SAC": training("SAC", 60, 16, tau=0.05, **PLAIN),
    "SAC, double, with values of hundreds": training(
        "SAC", 40, 8, updates=2, pay=40, tau=0.3, discount=0.9, q_backup="double",
        target_entropy=1.0, **LARGE,
    ),
    "SAC, single, with batches of one": training(
        "SAC", 40, 1, tau=1.0, discount=1.0, q_backup="single", temperature=0.5, **PLAIN
    ),
}  # fmt: skip
PARTS = (
    Part(f"{SQUASHED}:squash", "squash", returns=tuple),
    Part(f"{SQUASHED}:squashed_log_prob", "squashed_log_prob", returns=lambda log_pi_n: log_pi_n),
    Part(f"{AGENT}:backup_values", "backup_values", returns=torch.t),
    Part(f"{AGENT}:soft_targets", "soft_targets", returns=torch.t),
    Part(f"{AGENT}:soft_policy_loss", "soft_policy_loss", returns=lambda loss: loss),
    Part(f"{AGENT}:temperature_loss", "temperature_loss", ("log_alpha",)),
    Part(f"{AGENT}:polyak_update", "polyak_update"),
)
BESIDE = Scripted(**vars(beside(TRAININGS, PARTS)))
cases, observe, probe = BESIDE.cases, BESIDE.observe, BESIDE.probe

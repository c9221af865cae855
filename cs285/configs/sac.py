"""The settings of SAC."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from cs285.configs.off_policy import OffPolicyConfig
from cs285.infrastructure.base.settings import flag


@dataclasses.dataclass(frozen=True)
class SACConfig(OffPolicyConfig):
    """What the script and `SACAgent` read."""

    outputs: ClassVar[int] = 2  # mean and log standard deviation

    exp_name: str = flag("sac", "name of the experiment, part of the run folder's name")
    learning_rate: float = flag(3e-4, "Adam's step size, for all networks", "-lr", positive=True)
    q_backup: str = flag(
        "clipped",
        "what values the next state: single, the one critic; double, each critic's twin; "
        "clipped, the smaller of two",
        choices=("single", "double", "clipped"),
    )
    temperature: float = flag(None, "alpha, reward per nat; default: tuned", positive=True)
    target_entropy: float = flag(None, "nats; default: minus the number of action components")

    @property
    def critics(self) -> tuple[str, ...]:
        """Returns the critics' names in networks of one's own."""
        return ("q",) if self.q_backup == "single" else ("q1", "q2")

"""The settings of DDPG."""

from __future__ import annotations

import dataclasses

from cs285.configs.off_policy import OffPolicyConfig
from cs285.infrastructure.base.settings import flag


@dataclasses.dataclass(frozen=True)
class DDPGConfig(OffPolicyConfig):
    """What the script and `DDPGAgent` read."""

    exp_name: str = flag("ddpg", "name of the experiment, part of the run folder's name")
    exploration_noise: float = flag(0.1, "deviation of noise on actions in (-1, 1)", low=0.0)

    @property
    def critics(self) -> tuple[str, ...]:
        """Returns the one critic's name."""
        return ("q",)

"""The settings of TD3."""

from __future__ import annotations

import dataclasses

from cs285.configs.off_policy import OffPolicyConfig
from cs285.infrastructure.base.settings import flag


@dataclasses.dataclass(frozen=True)
class TD3Config(OffPolicyConfig):
    """What the script and `TD3Agent` read."""

    exp_name: str = flag("td3", "name of the experiment, part of the run folder's name")
    exploration_noise: float = flag(0.1, "deviation of noise on actions in (-1, 1)", low=0.0)
    target_noise: float = flag(0.2, "deviation of noise on the target's actions", low=0.0)
    noise_clip: float = flag(0.5, "largest magnitude of that noise", low=0.0)
    policy_delay: int = flag(2, "critic updates per actor update", positive=True)

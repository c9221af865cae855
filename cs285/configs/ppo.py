"""The settings of PPO."""

from __future__ import annotations

import dataclasses

from cs285.configs.segments import SegmentConfig
from cs285.infrastructure.base.settings import AtariFlags, StepSizes, flag


@dataclasses.dataclass(frozen=True)
class PPOConfig(StepSizes, AtariFlags, SegmentConfig):
    """What the script and `PPOAgent` read."""

    exp_name: str = flag("ppo", "name of the experiment, part of the run folder's name")
    learning_rate: float = flag(3e-4, "Adam's step size, for both networks", "-lr", positive=True)
    anneal: bool = flag(
        False, "let the step size fall linearly, to 0 at the end of the run", over_the_run=True
    )
    clip_ratio: float = flag(
        0.2, "how far a probability may move, in parts of itself, and still gain", positive=True
    )
    target_kl: float = flag(
        None, "leave a batch beyond 1.5 times this divergence, in nats", positive=True
    )
    value_coef: float = flag(0.5, "weight of the critic's loss", low=0.0)
    entropy_coef: float = flag(0.0, "weight of the entropy bonus", low=0.0)
    max_grad_norm: float = flag(0.5, "longest gradient of both networks together", positive=True)

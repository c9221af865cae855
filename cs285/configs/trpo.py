"""The settings of TRPO."""

from __future__ import annotations

import dataclasses

from cs285.configs.segments import SegmentConfig
from cs285.infrastructure.base.settings import flag


@dataclasses.dataclass(frozen=True)
class TRPOConfig(SegmentConfig):
    """What the script and `TRPOAgent` read.

    The defaults have the numbers of sb3-contrib, but not their meaning: its divergence is the mean
    over an action's components, and ours is their sum.
    """

    exp_name: str = flag("trpo", "name of the experiment, part of the run folder's name")
    minibatch_size: int = flag(128, "transitions of a critic update", "-mb", positive=True)
    num_epochs: int = flag(
        10, "passes of the critic over each batch", "--repeat_times", positive=True
    )
    max_kl: float = flag(0.01, "trust region: divergence of a step, in nats", positive=True)
    cg_steps: int = flag(15, "steps of conjugate gradient", positive=True)
    damping: float = flag(0.1, "added to the Fisher matrix's diagonal", low=0.0)
    line_search_steps: int = flag(10, "step lengths tried, at most", positive=True)
    line_search_shrink: float = flag(0.8, "from one step length to the next", low=0.01, high=0.99)
    critic_learning_rate: float = flag(
        1e-3, "Adam's step size for the critic", "-blr", "--vf_lr", positive=True
    )

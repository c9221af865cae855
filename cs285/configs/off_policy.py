"""The settings that DDPG, TD3 and SAC share; the defaults are those of Stable-Baselines3."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from cs285.infrastructure.base.settings import (
    LayerConfig,
    OwnNetworkFlags,
    StepSizes,
    activation,
    flag,
    longest_episode,
)


@dataclasses.dataclass(frozen=True)
class OffPolicyConfig(OwnNetworkFlags, StepSizes, LayerConfig):
    """What all three read."""

    usual_size: ClassVar[int] = 256

    env_name: str = flag("Pendulum-v1", "id of a Gymnasium environment, or module:id of your own")
    num_timesteps: int = flag(20_000, "environment steps of the run", positive=True)
    ep_len: int | None = longest_episode()
    batch_size: int = flag(256, "transitions per update", "-b", positive=True)
    num_agent_train_steps_per_iter: int = flag(
        1, "updates, each of its own batch, after each environment step", positive=True
    )
    horizon_len: int = flag(
        1,
        "environment steps from one time to learn to the next; then as many updates follow as "
        "steps were taken",
        "--update_every",
        positive=True,
    )
    repeat_times: float = flag(
        None,
        "updates at a time: transitions in memory, times this, over those of a batch; default: "
        "as many as steps were taken",
        positive=True,
    )
    discount: float = flag(0.99, "gamma, per step", low=0.0, high=1.0)
    tau: float = flag(
        0.005,
        "how far target networks move per update; --polyak 0.995 is --tau 0.005",
        low=0.0,
        high=1.0,
    )
    buffer_size: int = flag(1_000_000, "transitions in the replay buffer", positive=True)
    start_steps: int = flag(
        100, "environment steps of random actions at first", "--random_steps", low=0
    )
    learning_starts: int = flag(
        100, "environment steps before the first update", "--update_after", low=0
    )
    size: int | None = flag(
        None, "units of each of them; default: 256", "-s", "--layer_size", positive=True
    )
    activation: str = activation("relu")
    scalar_log_freq: int = flag(1_000, "steps from one row of the log to the next")
    eval_freq: int = flag(5_000, "steps from one evaluation to the next; -1: never")
    video_log_freq: int = flag(-1, "steps from one video to the next; -1: never")

    @property
    def critics(self) -> tuple[str, ...]:
        """Returns the critics' names in networks of one's own."""
        return ("q1", "q2")

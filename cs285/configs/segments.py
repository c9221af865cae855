"""The settings that PPO and TRPO share; the defaults are those of Stable-Baselines3."""

from __future__ import annotations

import dataclasses
from typing import Any

from cs285.infrastructure.base.settings import LayerConfig, OwnNetworkFlags, flag, longest_episode


@dataclasses.dataclass(frozen=True)
class SegmentConfig(OwnNetworkFlags, LayerConfig):
    """What both read."""

    env_name: str = flag("CartPole-v1", "id of a Gymnasium environment, or module:id of your own")
    n_iter: int = flag(50, "iterations: collect a batch, learn from it", "-n", positive=True)
    ep_len: int | None = longest_episode()
    batch_size: int = flag(
        2048, "environment steps per iteration", "-b", "--horizon_len", positive=True
    )
    num_envs: int = flag(1, "environments side by side, which share those steps", positive=True)
    minibatch_size: int = flag(64, "transitions of a gradient step", "-mb", positive=True)
    num_epochs: int = flag(10, "passes over each batch, at most", "--repeat_times", positive=True)
    discount: float = flag(0.99, "gamma, per step", low=0.0, high=1.0)
    gae_lambda: float = flag(0.95, "lambda of GAE", "--lam", low=0.0, high=1.0)
    normalize_observations: bool = flag(
        False, "scale observations by the mean and variance of all so far"
    )
    scalar_log_freq: int = flag(1, "iterations from one row of the log to the next")
    eval_freq: int = flag(None, "iterations between evaluations; default: with each row")
    video_log_freq: int = flag(-1, "iterations from one video to the next; -1: never")

    def loop(self) -> dict[str, Any]:
        """Returns what that of all settings does, and the environment steps of an iteration."""
        return super().loop() | {"steps_per_itr": self.batch_size}

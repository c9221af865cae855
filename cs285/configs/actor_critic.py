"""The settings of actor-critic."""

from __future__ import annotations

import dataclasses

from cs285.infrastructure.base.settings import LayerConfig, OwnNetworkFlags, StepSizes, flag


@dataclasses.dataclass(frozen=True)
class ACConfig(OwnNetworkFlags, StepSizes, LayerConfig):
    """What the script, `ACAgent` and its critic read."""

    env_name: str = flag("CartPole-v0", "id of a Gymnasium environment, or module:id of your own")
    exp_name: str = flag("actor_critic", "name of the experiment, part of the run folder's name")
    n_iter: int = flag(200, "iterations: collect a batch, learn from it", "-n", positive=True)
    ep_len: int = flag(
        200,
        "longest episode in training and evaluation, in environment steps",
        "--max_episode_steps",
        "--max_ep_len",
        positive=True,
    )
    batch_size: int = flag(
        1000, "environment steps per iteration, at least", "-b", "--horizon_len", positive=True
    )
    train_batch_size: int = flag(
        None, "transitions learned from; all of an iteration's: equal to -b", "-tb", positive=True
    )
    num_agent_train_steps_per_iter: int = flag(
        1, "calls of train per iteration", "--repeat_times", positive=True
    )
    num_critic_updates_per_agent_update: int = flag(1, "critic updates per train", positive=True)
    num_actor_updates_per_agent_update: int = flag(1, "actor updates per train", positive=True)
    discount: float = flag(1.0, "gamma, per step", low=0.0, high=1.0)
    learning_rate: float = flag(5e-3, "Adam's step size, for both networks", "-lr", positive=True)
    dont_standardize_advantages: bool = flag(False, "use advantages as they are", "-dsa")
    num_target_updates: int = flag(
        10, "times the critic's targets are computed", "-ntu", positive=True
    )
    num_grad_steps_per_target_update: int = flag(
        10, "gradient steps on each set of targets", "-ngsptu", positive=True
    )
    scalar_log_freq: int = flag(10, "iterations from one row of the log to the next")
    eval_freq: int = flag(None, "iterations between evaluations; default: with each row")
    video_log_freq: int = flag(-1, "iterations from one video to the next; -1: never")

    @property
    def standardize_advantages(self) -> bool:
        """Whether advantages get mean 0 and standard deviation 1 over the batch."""
        return not self.dont_standardize_advantages

    @property
    def gamma(self) -> float:
        """The name of the discount in the course's dict of settings."""
        return self.discount

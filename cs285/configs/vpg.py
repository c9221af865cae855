"""The settings of policy gradient."""

from __future__ import annotations

import dataclasses

from cs285.infrastructure.base.settings import LayerConfig, OwnNetworkFlags, flag, longest_episode


@dataclasses.dataclass(frozen=True)
class PGConfig(OwnNetworkFlags, LayerConfig):
    """What the script and `PGAgent` read, in both dialects of the course.

    Until 2022 advantages were standardised unless `-dsa`; since 2023 they are only with `-na`, and
    `--nn_baseline` is `--use_baseline`. A command with none of these four is read the older way.
    """

    env_name: str = flag("CartPole-v0", "id of a Gymnasium environment, or module:id of your own")
    exp_name: str = flag("pg", "name of the experiment, part of the run folder's name")
    n_iter: int = flag(200, "iterations: collect a batch, learn from it", "-n", positive=True)
    ep_len: int | None = longest_episode()
    batch_size: int = flag(
        1000, "environment steps per iteration, at least", "-b", "--horizon_len", positive=True
    )
    discount: float = flag(1.0, "gamma, per step", low=0.0, high=1.0)
    learning_rate: float = flag(
        5e-3, "Adam's step size for the policy", "-lr", "--pi_lr", positive=True
    )
    reward_to_go: bool = flag(
        False, "credit actions with later rewards only", "-rtg", "--use_reward_to_go"
    )
    dont_standardize_advantages: bool = flag(False, "use advantages as they are", "-dsa")
    nn_baseline: bool = flag(False, "learn what follows a state (with -rtg: V(s)), and subtract it")
    normalize_advantages: bool = flag(False, "since 2023: standardise advantages", "-na")
    use_baseline: bool = flag(False, "since 2023: learn V(s) and subtract it")
    baseline_learning_rate: float = flag(
        5e-3, "Adam's step size for the baseline", "-blr", "--vf_lr", positive=True
    )
    baseline_gradient_steps: int = flag(
        5, "gradient steps of the baseline per iteration", "-bgs", positive=True
    )
    gae_lambda: float = flag(
        None,
        "lambda of GAE, needs a baseline and -rtg; default: q-values minus the baseline",
        "--lam",
        low=0.0,
        high=1.0,
    )
    action_noise_std: float = flag(
        0.0,
        "deviation of noise that the environment adds to actions, before it clips them",
        low=0.0,
    )
    scalar_log_freq: int = flag(1, "iterations from one row of the log to the next")
    eval_freq: int = flag(None, "iterations between evaluations; default: with each row")
    video_log_freq: int = flag(-1, "iterations from one video to the next; -1: never")

    @property
    def standardize_advantages(self) -> bool:
        """Whether advantages get mean 0 and standard deviation 1 over the batch."""
        return not self.dont_standardize_advantages

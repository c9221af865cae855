"""PPO as a whole: the student's agent trains under the script that ours had."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import torch

from autograder.homeworks.hw5.fakes import environments
from autograder.homeworks.hw5.fakes.environments import STEPS, training
from autograder.running.probing import Student
from autograder.running.training import Beside, Training
from autograder.running.watching import Part

AGENT = "agents.ppo_agent"
FIVE = ("ob_no", "ac_na", "adv_n", "target_n", "old_log_prob_n")
PARTS = (
    Part(
        f"{AGENT}:PPOAgent.estimate_advantage",
        "estimate_advantage",
        ("ob_no", "next_ob_no", "re_n", "terminal_n"),
        tuple,
    ),
    Part(f"{AGENT}:minibatches", "minibatches", returns=lambda parts: sorted(map(len, parts))),
    Part(f"{AGENT}:PPOAgent.update", "update", FIVE, trains="actor", ticks=True),
    Part(f"{AGENT}:kl_estimate", "kl_estimate", returns=lambda kl: kl),
    Part(f"{AGENT}:standardize", "standardize", ("adv_n",), lambda adv_n: adv_n),
    Part(
        f"{AGENT}:clipped_surrogate_loss",
        "clipped_surrogate_loss",
        ("log_ratio_n", "adv_n"),
        lambda loss: loss,
    ),
    Part(f"{AGENT}:PPOAgent.train", "train"),
)


def agent(student: Student, env: gym.Env[Any, Any], case: Training) -> Any:
    """Builds the student's agent; rows are dealt out by a list, or at once."""
    settings = dict(case.settings)
    size = settings.pop("minibatch_size")
    made = environments.agent(student, case, "PPO", hidden="16,16", **settings)
    if size < STEPS:
        made.rows_of_all_epochs = lambda n: listed_rows(n, size, made.settings.num_epochs)
    return made


def listed_rows(n: int, size: int, epochs: int) -> Iterator[torch.Tensor]:
    """Yields rows in a fixed order: which order a shuffle has is chance's."""
    for epoch in range(epochs):
        yield from (torch.arange(n) * (5 + 2 * (epoch % 2)) % n).split(size)


FEW_ROWS: dict[str, Any] = {"minibatch_size": 16, "learning_rate": 1e-2}
ALL_ROWS = {**FEW_ROWS, "minibatch_size": STEPS}
BESIDE = Beside(
    trainings={
        "PPO, discrete": training(
            True, **FEW_ROWS, num_epochs=4, clip_ratio=0.05, entropy_coef=0.02
        ),
        "PPO, continuous": training(False, 5.0, **FEW_ROWS, num_epochs=3, value_coef=0.1),
        "PPO, all rows at once": training(
            True, 50.0, **ALL_ROWS, num_epochs=6, anneal=True, n_iter=8, target_kl=0.001
        ),
    },
    agent=agent,
    parts=PARTS,
    networks={"actor": "actor", "critic": "critic"},
    trained={"actor": ("", "actor"), "critic": ("", "critic")},
    log=("Actor_Loss", "Critic_Loss", "Entropy", "KL", "Clip_Fraction", "Gradient_Norm"),
)
cases, observe, probe = BESIDE.cases, BESIDE.observe, BESIDE.probe

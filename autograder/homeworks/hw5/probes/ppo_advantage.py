"""Asks for PPO's advantages and targets: segments of two environments, ends and cuts in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from autograder.homeworks.hw5.fakes.agents import OBS, fill, ppo_agent
from autograder.homeworks.hw5.fakes.calls import finite
from autograder.homeworks.hw5.fakes.neighbours import OF_ADVANTAGE, instead
from autograder.running.probing import Student

RESULTS, ROWS = "advantages", 13
GIVEN = ("ob_no", "next_ob_no", "re_n", "terminal_n", "path_ends_n")
ENDED, CUT = (2, 6, 12), (4, 9)  # last rows of paths: row 6 is the end of a segment, so is row 12


@dataclass(frozen=True)
class Segments:
    """A batch, and the critic: V(s) is `weights` times s, plus the last weight."""

    ob_no: np.ndarray
    next_ob_no: np.ndarray
    re_n: np.ndarray
    terminal_n: np.ndarray
    path_ends_n: np.ndarray
    weights: np.ndarray
    discount: float
    gae_lambda: float


def cases(seed: int) -> Mapping[str, Segments]:
    """Returns what is tried: both ends of lambda and of the discount, large numbers, one row."""
    rng = np.random.default_rng([285, 93, seed])
    ob_no, elsewhere = rng.uniform(-1.5, 1.5, (2, ROWS, OBS)).astype(np.float32)
    ends, ended = (np.isin(np.arange(ROWS), rows) for rows in (ENDED + CUT, ENDED[::2]))
    next_ob_no = np.where(ends[:, None], elsewhere, np.roll(ob_no, -1, axis=0))
    re_n = (rng.uniform(0.3, 1.7, ROWS) * np.resize([1, -1, 1], ROWS)).astype(np.float32)
    weights = rng.uniform(0.5, 1.2, OBS + 1) * [1, -1, 1, 1]
    terminal_n, numbers = ended.astype(np.float32), (weights, 0.8, 0.6)
    usual = Segments(ob_no, next_ob_no, re_n, terminal_n, ends, *numbers)
    one = {name: value[:1] for name, value in vars(usual).items() if np.shape(value)[:1] == (ROWS,)}
    return {
        "usual": usual,
        "rewards and values of hundreds": replace(usual, re_n=300 * re_n, weights=300 * weights),
        "no episode ends": replace(usual, terminal_n=0 * terminal_n),
        "lambda 0": replace(usual, gae_lambda=0.0),
        "lambda 1, discount 1": replace(usual, gae_lambda=1.0, discount=1.0),
        "discount 0": replace(usual, discount=0.0),
        "one row, cut": replace(usual, **one | {"path_ends_n": np.array([True])}),
        "rewards alone": replace(usual, weights=0 * weights),
    }


def observe(student: Student, case: Segments) -> dict[str, Any]:
    """Returns what is estimated after other data in the same arrays, by a critic that has moved."""
    agent = ppo_agent(student, True, discount=case.discount, gae_lambda=case.gae_lambda)
    lent = student.lend({name: getattr(case, name) for name in GIVEN})
    for scale in (-0.5, 1.0):
        for name, array in lent.items():
            array[:] = scale * getattr(case, name) + (scale < 0)
        fill(agent.critic.parameters(), scale * case.weights)
        with instead(student, OF_ADVANTAGE):
            adv_n, target_n = agent.estimate_advantage(**lent)
    tensors = isinstance(adv_n, torch.Tensor) or isinstance(target_n, torch.Tensor)
    return finite({"adv_n": adv_n, "target_n": target_n, "is_a_tensor": tensors})

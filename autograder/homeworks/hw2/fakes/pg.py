"""The agent of policy gradient as probes build it, a batch for it, and sums that are right."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograder.running.draws import coarsely
from autograder.running.experiments import replaced
from autograder.running.probing import Student
from autograder.running.scripted import Unplayed

NOT_FINITE = -999.0  # the deviation of numbers that are not
OB_DIM, ACTIONS = 3, 2  # components of an observation, and actions
LENGTHS = (5, 3, 7, 2)  # of the paths of a batch
ROWS, ENDS = sum(LENGTHS), np.cumsum(LENGTHS)
MOST_AHEAD = 200  # steps that GAE looks: paths that were joined by mistake are long
WEIGHTS = np.array([0.8, -0.5, 0.7], np.float32)  # of a linear baseline


@dataclass(frozen=True)
class Steps:
    """What is known of the steps of some paths, end to end, and the agent's settings."""

    ob_no: np.ndarray
    reward_n: np.ndarray
    q_n: np.ndarray
    discount: float
    settings: Mapping[str, Any] = field(default_factory=dict)


def steps(seed: int, discount: float) -> Steps:
    """Draws a batch. What a linear baseline says is small where q-values are large."""
    rng = np.random.default_rng([285, 54, seed])
    reward_n = rng.uniform(0.3, 1.7, ROWS) * rng.permutation(np.resize([1, 1, 1, -1], ROWS))
    q_n = np.concatenate([following(path, discount) for path in by_path(reward_n)])
    ob_no = rng.uniform(-1, 1, (ROWS, OB_DIM)).astype(np.float32)
    value_n = rng.uniform(0.3, 1.2, ROWS) * np.where(q_n > q_n.mean(), -1, 1)
    ob_no[:, 0] += (value_n - ob_no @ WEIGHTS) / WEIGHTS[0]
    return Steps(ob_no, reward_n, q_n, discount)


def by_path(rows: np.ndarray) -> list[np.ndarray]:
    """Splits the rows of a batch into those of each path; these are views."""
    return np.split(rows, ENDS[:-1])


def spread(numbers: np.ndarray) -> tuple[np.ndarray, float]:
    """Returns numbers divided by their deviation, and the deviation, in steps of a fifth.

    So the deviation may be that of a sample of 8 or more, with any small number added. Of what is
    not finite no numbers are left.
    """
    if not np.isfinite(numbers).all():
        return 0 * np.nan_to_num(numbers), NOT_FINITE
    size = float(numbers.std()) or 1.0
    return numbers / size, float(np.exp2(coarsely(np.log2(size), 0.25)))


def build(student: Student, **settings: Any) -> Any:
    """Builds the student's agent; settings that are not given are the plainest."""
    module, env = student.module("agents.pg_agent"), Unplayed(OB_DIM, ACTIONS, discrete=True)
    rates = dict.fromkeys(("learning_rate", "baseline_learning_rate"), 0.01)
    usual = {**rates, "hidden": "3", "discount": 0.9, "baseline_gradient_steps": 1}
    agent: Any = module.PGAgent(env, config(student, **{**usual, **settings}))
    return agent


def config(student: Student, standardize_advantages: bool = False, **settings: Any) -> Any:
    """Returns settings of the student's agent; advantages are standardised only if asked for."""
    settings["dont_standardize_advantages"] = not standardize_advantages
    return student.module("configs.vpg").PGConfig(**settings)


def following(reward_n: Any, discount: float) -> np.ndarray:
    """Returns reward-to-go: the solution of the equations that hold between its entries."""
    rewards = np.asarray(reward_n, np.float64)
    size = len(rewards)
    solved: np.ndarray = np.linalg.solve(np.eye(size) - discount * np.eye(size, k=1), rewards)
    return solved


def at_once(reward_n: Any, discount: float) -> float:
    """Returns the return of a path."""
    return float(following(reward_n, discount)[0])


def weighed(
    reward_n: Any,
    value_n: Any,
    next_value_n: Any,
    terminal_n: Any,
    path_ends_n: Any,
    discount: float,
    gae_lambda: float,
) -> np.ndarray:
    """Returns GAE, of all rows at once: an error counts for each row before it on its path."""
    future = np.where(np.asarray(terminal_n) > 0, 0.0, np.asarray(next_value_n, np.float64))
    error_n: np.ndarray = np.asarray(reward_n, np.float64) - value_n + discount * future
    path_n = np.append(0, np.cumsum(np.asarray(path_ends_n) > 0)[:-1])
    if path_n.shape != error_n.shape:
        raise ValueError(f"arrays have the shapes {path_n.shape} and {error_n.shape}")
    longest, adv_n = int(np.bincount(path_n).max()), np.copy(error_n)
    for ahead in range(1, min(longest, MOST_AHEAD)):
        same = path_n[ahead:] == path_n[:-ahead]
        adv_n[:-ahead] += (discount * gae_lambda) ** ahead * np.where(same, error_n[ahead:], 0.0)
    return adv_n


SUMS: Mapping[str, Callable[..., Any]] = {
    "discounted_return": at_once,
    "reward_to_go": following,
    "generalized_advantages": weighed,
}


def right_sums(student: Student) -> contextlib.AbstractContextManager[None]:
    """Lets ours work in the place of the student's sums over time, which other blanks own."""
    return replaced(student, ("agents.returns", "agents.pg_agent"), SUMS)

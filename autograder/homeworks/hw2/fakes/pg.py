"""The agent of policy gradient as it is probed, its batch, and sums over time that are right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn

from autograder.running.probing import plain_array
from autograder.running.scripted import Unplayed

OB_DIM, ACTIONS = 3, 2  # components of an observation, and actions
LENGTHS = (5, 3, 7, 2)  # of the paths of a batch
ROWS, ENDS = sum(LENGTHS), np.cumsum(LENGTHS)
MOST_AHEAD = 200  # steps that GAE looks: paths that were joined by mistake are long
WEIGHTS = np.array([0.8, -0.5, 0.7], np.float32)  # of a linear baseline
Modules = Callable[[str], Any]  # returns a module of the student


def rewards(rng: np.random.Generator) -> np.ndarray:
    """Draws the rewards of a batch."""
    signs: np.ndarray = rng.permutation(np.resize([1, 1, 1, -1], ROWS))
    return signs * rng.uniform(0.3, 1.7, ROWS)


def q_of(reward_n: np.ndarray, discount: float) -> np.ndarray:
    """Returns the q-values of a batch."""
    return np.concatenate([following(path, discount) for path in by_path(reward_n)])


def observations(rng: np.random.Generator, q_n: np.ndarray) -> np.ndarray:
    """Draws observations: what a linear baseline says of them is small where q-values are large."""
    ob_no = rng.uniform(-1, 1, (ROWS, OB_DIM)).astype(np.float32)
    value_n = rng.uniform(0.3, 1.2, ROWS) * np.where(q_n > q_n.mean(), -1, 1)
    ob_no[:, 0] += (value_n - ob_no @ WEIGHTS) / WEIGHTS[0]
    return ob_no


def by_path(rows: np.ndarray) -> list[np.ndarray]:
    """Splits the rows of a batch into those of each path; these are views."""
    return np.split(rows, ENDS[:-1])


def spread(numbers: Any) -> np.ndarray:
    """Returns numbers divided by their deviation, which may so be that of a sample."""
    array = plain_array(numbers)
    return array / (array.std() or 1.0)


def build(module: Modules, **settings: Any) -> Any:
    """Builds the student's agent; settings that are not given are the plainest."""
    usual = {"hidden": "3", "discount": 0.9, "baseline_gradient_steps": 1}
    env = Unplayed(OB_DIM, ACTIONS, discrete=True)
    return module("agents.pg_agent").PGAgent(env, config(module, **{**usual, **settings}))


def config(module: Modules, standardize_advantages: bool = False, **settings: Any) -> Any:
    """Returns settings of the student's agent; advantages are standardised only if asked for."""
    settings["dont_standardize_advantages"] = not standardize_advantages
    return module("configs.vpg").PGConfig(**settings)


def linear(agent: Any, noted: list[Any]) -> nn.Linear:
    """Gives an agent a linear baseline, if it has one, and notes what it is to learn."""
    network = nn.Linear(OB_DIM, 1, bias=False)

    def update(ob_no: Any, target_n: Any) -> float:
        if tuple(target_n.shape) != (len(ob_no),):  # as the real one
            raise ValueError(f"target_n has shape {tuple(target_n.shape)}")
        noted.append((plain_array(ob_no), plain_array(target_n), torch.is_grad_enabled()))
        network.weight.data += 0.3  # it learns something
        return 1.0 / len(noted)

    if agent.critic is not None:
        agent.critic.critic_network, agent.critic.update = network, update
    return network


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

"""Probe of `ArgMaxPolicy.get_action`: a critic that is a table, asked state by state."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from autograder.hw3.step_world import action_of
from autograder.probing import Student

OWNERS = ("policies/argmax_policy.py",)
STATES, ACTIONS = 13, 7
REPEATS = 20
OTHER = 3  # by how many places the target network's favourites differ


def table(seed: int) -> np.ndarray:
    """Draws action values, shape (STATES, ACTIONS), none of them close to another of its row.

    The best action of a state is never action 0 nor the last, so that an index that is off by one
    is still an action; and the largest value of a row is no whole number.
    """
    rng = np.random.default_rng([285, 31, seed])
    values = np.stack([rng.permutation(ACTIONS) for _ in range(STATES)]) * 0.6 - 1.7
    best = 1 + (np.arange(STATES) + rng.integers(ACTIONS)) % (ACTIONS - 2)
    largest = values.argmax(1)
    rows = np.arange(STATES)
    values[rows, largest], values[rows, best] = values[rows, best], values[rows, largest]
    return (values + rng.uniform(0, 0.1, values.shape)).astype(np.float32)


class TableCritic:
    """A critic, real enough for any policy: `qa_values`, `q_net`, or a call."""

    ob_dim: tuple[int, ...] = (STATES,)
    ac_dim = num_actions = ACTIONS

    def __init__(self, values: np.ndarray) -> None:
        """Keeps the table."""
        self.values = values
        self.asked: list[np.ndarray] = []

    def qa_values(self, obs: Any) -> np.ndarray:
        """Returns the rows of one-hot observations. Shape (n, ACTIONS)."""
        array = np.asarray(obs.detach() if isinstance(obs, torch.Tensor) else obs)
        self.asked.append(array)
        rows: np.ndarray = array @ self.values
        return rows

    def q_net(self, obs: Any) -> torch.Tensor:
        """Returns the same as a tensor."""
        return torch.as_tensor(self.qa_values(obs))

    def q_net_target(self, obs: Any) -> torch.Tensor:
        """Returns values of another network, which prefers other actions."""
        return self.q_net(obs).roll(OTHER, -1)

    __call__ = forward = q_net


class ImageCritic(TableCritic):
    """The same with images for observations, of which it takes a batch alone, as layers do."""

    ob_dim = (STATES, 1, 1)

    def qa_values(self, obs: Any) -> np.ndarray:
        """Returns the rows of one-hot images, shape (n, STATES, 1, 1). Shape (n, ACTIONS)."""
        array = np.asarray(obs.detach() if isinstance(obs, torch.Tensor) else obs)
        if array.ndim != 1 + len(self.ob_dim):
            raise ValueError(f"expected a batch of images, got shape {array.shape}")
        return super().qa_values(array.reshape(len(array), -1))


def size_of(answer: Any) -> int:
    """Returns how many numbers an answer holds; 1 for what is none."""
    try:
        return int(np.asarray(answer).size)
    except Exception:  # noqa: BLE001  (a student may return anything)
        return 1


def probe_argmax(student: Student, seed: int) -> None:
    """Asks for the action in each state, in one state again and again, and for images."""
    values = table(seed)

    def ask(
        states: np.ndarray, seen: dict[str, Any], make: type[TableCritic] = TableCritic
    ) -> None:
        critic = make(values)
        policy = student.module("policies.argmax_policy").ArgMaxPolicy(critic)
        answers = []
        for state in np.eye(STATES, dtype=np.float32)[states]:
            answers.append(policy.get_action(state.reshape(critic.ob_dim)))
        seen["size"] = [size_of(answer) for answer in answers]
        seen["action"] = [action_of(answer) for answer in answers]
        seen["asked"] = len(critic.asked)

    student.try_out("each", lambda seen: ask(np.arange(STATES), seen))
    student.try_out("again", lambda seen: ask(np.zeros(REPEATS, np.int64), seen))
    student.try_out("images", lambda seen: ask(np.arange(STATES), seen, ImageCritic))

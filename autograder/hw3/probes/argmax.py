"""Asks the greedy policy of a critic that knows a few states, each by its very numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from autograder.hw3.step_world import action_of
from autograder.hw3.table_network import AskingNetwork
from autograder.probing import Student

STATES, ACTIONS = 13, 7
REPEATS = 20
OTHER = 3  # by how many places the target network's favourites differ


def case(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draws states, shape (STATES, STATES), and their action values, shape (STATES, ACTIONS).

    States have numbers of both signs, whole ones nowhere, and some beyond 1. Values of a row are
    not close to each other; the best action is never action 0 nor the last, so that an index that
    is off by one is still an action; and in every second row the largest is the nearest to 0.
    """
    rng = np.random.default_rng([285, 31, seed])
    values = np.stack([rng.permutation(ACTIONS) for _ in range(STATES)]) * 0.15 - 0.75
    best = 1 + (np.arange(STATES) + rng.integers(ACTIONS)) % (ACTIONS - 2)
    largest, rows = values.argmax(1), np.arange(STATES)
    values[rows, largest], values[rows, best] = values[rows, best], values[rows, largest]
    values += rng.uniform(0, 0.05, values.shape) + 0.75 * (rows % 2)[:, None]
    states = rng.normal(0, 3, (STATES, STATES))
    return states.astype(np.float32), values.astype(np.float32)


class TableCritic:
    """A critic with what DQN's has that a policy may use, and no more."""

    ac_dim = ACTIONS

    def __init__(self, seed: int, *ob_dim: int) -> None:
        """Draws what it knows; of observations with several axes it takes a batch alone."""
        self.states, self.values = case(seed)
        self.ob_dim = ob_dim
        self.q_net = AskingNetwork(self.qa_values)
        self.q_net_target = AskingNetwork(self.qa_values, OTHER)

    def qa_values(self, obs: Any) -> np.ndarray:
        """Returns the values of each observation: what it does not know wants the last action."""
        array = np.asarray(obs.detach() if isinstance(obs, torch.Tensor) else obs)
        if len(self.ob_dim) > 1:
            if array.ndim != 1 + len(self.ob_dim):
                raise ValueError(f"expected a batch of images, got shape {array.shape}")
            array = array.reshape(len(array), -1)
        known = (array[..., None, :] == self.states).all(-1)
        last = np.eye(ACTIONS, dtype=np.float32)[-1]
        values: np.ndarray = np.where(known.any(-1, keepdims=True), known @ self.values, last)
        return values


def probe(student: Student, seed: int) -> None:
    """Asks for the action in each state, in one state again and again, and for images."""

    def ask(seen: dict[str, Any], critic: TableCritic, states: np.ndarray) -> None:
        policy = student.module("policies.argmax_policy").ArgMaxPolicy(critic)
        every = [policy.get_action(state.reshape(critic.ob_dim).copy()) for state in states]
        seen["action"] = [action_of(action) for action in every]

    states, _ = case(seed)
    again = states[:1].repeat(REPEATS, 0)
    student.try_out("each", lambda seen: ask(seen, TableCritic(seed, STATES), states))
    student.try_out("again", lambda seen: ask(seen, TableCritic(seed, STATES), again))
    student.try_out("images", lambda seen: ask(seen, TableCritic(seed, STATES, 1, 1), states))

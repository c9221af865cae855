"""Asks the greedy policy of a critic that knows a few states, each by its very numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from autograder.core import fingerprint
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
    values -= 0.5 * (rows % 4 == 0)[:, None]  # all below 0
    states = rng.normal(0, 3, (STATES, STATES))
    return states.astype(np.float32), values.astype(np.float32)


def moves(values: np.ndarray) -> dict[str, np.ndarray]:
    """Returns action values with some of them moved, by name."""
    rows, best, worst = np.arange(len(values)), values.argmax(1), values.argmin(1)
    other, lower = values.copy(), values.copy()
    other[rows, worst] = values[rows, best] + 0.01
    lower[rows, worst] -= 2.0
    return {
        "qa_values of an action that is now a little better than the best": other,
        "qa_values of the worst action": lower,
        "qa_values of all actions together": values - 2.0,
    }


class TableCritic:
    """A critic with what DQN's has that a policy may use, and no more."""

    ac_dim = ACTIONS

    def __init__(self, states: np.ndarray, values: np.ndarray, *ob_dim: int) -> None:
        """Keeps what it knows; of observations with several axes it takes a batch alone."""
        self.states, self.values, self.ob_dim = states, values, ob_dim
        self.asked_about_other = False
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
        self.asked_about_other |= not known.any(-1).all()
        last = np.eye(ACTIONS, dtype=np.float32)[-1]
        values: np.ndarray = np.where(known.any(-1, keepdims=True), known @ self.values, last)
        return values


def probe(student: Student, seed: int) -> None:
    """Asks for the action in each state, in one state again and again, and for images."""

    def ask(critic: TableCritic, shown: np.ndarray) -> list[float]:
        policy = student.module("policies.argmax_policy").ArgMaxPolicy(critic)
        every = [policy.get_action(state.reshape(critic.ob_dim).copy()) for state in shown]
        return [action_of(action) for action in every]

    def note(seen: dict[str, Any], shown: np.ndarray, *ob_dim: int) -> None:
        critic = TableCritic(states, values, *ob_dim)
        seen["action"] = ask(critic, shown)
        seen["other_state"] = critic.asked_about_other
        seen["not_repeatable"] = len(set(seen["action"])) > len(np.unique(shown, axis=0))

    states, values = case(seed)
    again = states[:1].repeat(REPEATS, 0)
    student.try_out("each", lambda seen: note(seen, states, STATES))
    student.try_out("again", lambda seen: note(seen, again, STATES))
    student.try_out("images", lambda seen: note(seen, states, STATES, 1, 1))

    def moving(seen: dict[str, Any]) -> None:
        def actions(values: np.ndarray) -> list[float]:
            return ask(TableCritic(states, values, STATES), states)

        fingerprint.note(seen, actions, values, moves(values))

    student.try_moves("actions", moving)

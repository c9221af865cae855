"""Asks the greedy policy of a critic that knows a few states, each by its very numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograder.homeworks.hw3.fakes.table_network import TableCritic
from autograder.running.experiments import Moves
from autograder.running.probing import Student, number_in, plain_array

STATES, ACTIONS = 13, 7
REPEATS = 20


@dataclass(frozen=True)
class Greedy:
    """What a critic knows, and what the policy is shown."""

    states: np.ndarray  # (STATES, STATES)
    qa_values: np.ndarray  # (STATES, ACTIONS)
    shown: np.ndarray  # (n, STATES)
    ob_dim: tuple[int, ...] = (STATES,)
    at_once: bool = False  # whether what is shown is one batch


def cases(seed: int) -> Mapping[str, Greedy]:
    """Returns what is shown: each state, one state again and again, images, a batch.

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
    states = rng.normal(0, 3, (STATES, STATES)).astype(np.float32)
    each = Greedy(states, values.astype(np.float32), states)
    return {
        "each": each,
        "again": replace(each, shown=states[:1].repeat(REPEATS, 0)),
        "images": replace(each, ob_dim=(STATES, 1, 1)),
        "several rows": replace(each, ob_dim=(STATES, 1, 1), at_once=True),
    }


def moves(seed: int) -> Iterator[Moves]:
    """Moves action values: of the best action's rivals, and all together."""
    each = cases(seed)["each"]
    values, worst = each.qa_values, (np.arange(STATES), each.qa_values.argmin(1))
    other, lower = values.copy(), values.copy()
    other[worst] = values.max(1) + 0.01
    lower[worst] -= 2.0
    moved = {
        "an action that is now a little better than the best": replace(each, qa_values=other),
        "the worst action": replace(each, qa_values=lower),
        "all actions together": replace(each, qa_values=values - 2.0),
    }
    yield Moves("actions", each, {f"qa_values of {what}": case for what, case in moved.items()})


def one_for_each(answer: Any, rows: int) -> list[float]:
    """Returns the actions of a batch, whatever axes they have; -1 for each if there are others."""
    actions = plain_array(answer)
    if actions.size != rows:
        return [-1.0] * rows
    return [float(action) for action in actions.ravel()]


def observe(student: Student, case: Greedy) -> dict[str, Any]:
    """Returns the action for each observation that is shown."""
    critic = TableCritic(case.states, case.qa_values, case.ob_dim)
    policy: Any = student.module("policies.argmax_policy").ArgMaxPolicy(critic)
    shown = case.shown.reshape(-1, *case.ob_dim)
    if case.at_once:
        actions = one_for_each(policy.get_action(shown), len(shown))
    else:
        actions = [number_in(policy.get_action(obs), -1.0) for obs in shown]
    return {
        "action": actions,
        "other_state": critic.asked_about_other,
        "not_repeatable": len(set(actions)) > len(np.unique(case.shown, axis=0)),
    }

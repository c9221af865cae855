"""The batch on which the parts of actor-critic are probed, and how a student's method takes it.

The critic is a table here too: observations are one-hot, so V(s) is one entry of it. The
transitions form a chain, in shuffled order: nearly every next state is another row's present one,
so targets that are computed again are not what they were.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

STATES, ACTIONS, BATCH = 17, 5, 7  # different primes: no two sizes can be taken for each other

# What a parameter stands for, by the first of these that its name matches.
ROLES = (
    ("advantage", r"adv|^a_n$|q_?val"),
    ("terminal", r"term|done|end|mask|not_final|^d(_n)?$|^t_n$"),
    ("next_obs", r"next|_tp1|_prime|^(ob|obs|s)p|ob(s)?_?2|new_ob"),
    ("reward", r"^re|rew|^rs?$|^r_n"),
    ("obs", r"^ob|^state|^s(_|$)|observ"),
    ("action", r"^ac|^a(_na)?$"),
)
UPDATE_ORDER = ("obs", "action", "next_obs", "reward", "terminal")  # of the critic's update
ADVANTAGE_ORDER = ("obs", "next_obs", "reward", "terminal")  # of estimate_advantage
TRAIN_ORDER = ("obs", "action", "reward", "next_obs", "terminal")  # of the agent's train
ACTOR_ORDER = ("obs", "action", "advantage")  # of the actor's update


@dataclass(frozen=True)
class ValueCase:
    """A table of values and a batch."""

    table: np.ndarray  # (STATES,) V of each state
    state: np.ndarray  # (BATCH,) numbers of states
    next_state: np.ndarray
    action: np.ndarray
    reward: np.ndarray
    terminal: np.ndarray
    gamma: float

    def arrays(self) -> dict[str, np.ndarray]:
        """Returns fresh arrays of the batch by role: what a student's method is given."""
        one_hot = np.eye(STATES, dtype=np.float32)
        return {
            "obs": one_hot[self.state],
            "action": self.action.copy(),
            "next_obs": one_hot[self.next_state],
            "reward": self.reward.copy(),
            "terminal": self.terminal.copy(),
        }


def value_case(seed: int) -> ValueCase:
    """Draws a case. All errors stay within (-1, 1), where Huber's loss is a parabola."""
    rng = np.random.default_rng([285, 4, seed])
    size = rng.uniform(0.05, 0.35, STATES) * rng.choice([-1, 1], STATES)
    states, rows = rng.permutation(STATES)[: BATCH + 1], rng.permutation(BATCH)
    terminal = np.zeros(BATCH, np.float32)
    terminal[rng.permutation(np.arange(1, BATCH - 1))[:2]] = 1.0
    reward = rng.uniform(0.1, 0.3, BATCH) * rng.permuted([1, 1, 1, 1, -1, -1, -1])
    return ValueCase(
        table=size.astype(np.float32),
        state=states[:-1][rows],
        next_state=states[1:][rows],
        action=rng.integers(ACTIONS, size=BATCH),
        reward=reward.astype(np.float32),
        terminal=terminal,
        gamma=float(rng.uniform(0.6, 0.85)),
    )


def roles_of(method: Callable[..., Any], canonical: Sequence[str]) -> dict[str, str]:
    """Reads off the names of a method's parameters what each of them takes.

    Students rename and reorder parameters together with the calls, which is as right.

    Args:
        method: A function or a bound method; a first parameter `self` does not count.
        canonical: The roles in the order of the handout, for names that tell nothing.

    Returns:
        Parameter -> role, in the method's own order.
    """
    try:
        parameters = inspect.signature(method).parameters.values()
    except (TypeError, ValueError):
        return {role: role for role in canonical}
    plain = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.POSITIONAL_ONLY)
    names = [p.name for p in parameters if p.kind in plain and p.name != "self"]
    roles = [_role_of(name) for name in names[: len(canonical)]]
    if sorted(map(str, roles)) != sorted(canonical):
        roles = list(canonical)
    return dict(zip(names, roles, strict=False))


def _role_of(name: str) -> str | None:
    """Returns what a parameter's name tells of it."""
    for role, pattern in ROLES:
        if re.search(pattern, name.lower()):
            return role
    return None


def in_order(
    method: Callable[..., Any], canonical: Sequence[str], arrays: Mapping[str, Any]
) -> list[Any]:
    """Returns the arrays that a method takes, in its own order."""
    roles = list(roles_of(method, canonical).values())
    return [arrays[role] for role in (roles if len(roles) == len(canonical) else canonical)]


def changed(before: Mapping[str, np.ndarray], after: Mapping[str, np.ndarray]) -> list[bool]:
    """Tells which arrays of a batch are no longer what they were, in `TRAIN_ORDER`."""
    return [not np.array_equal(before[role], after[role]) for role in TRAIN_ORDER]

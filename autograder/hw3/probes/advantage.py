"""Estimates advantages: batches in which rewards and both values count together, and one by one."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import nn

from autograder.core import fingerprint
from autograder.hw3 import value_case as batches
from autograder.hw3 import value_world as world
from autograder.hw3.value_case import ADVANTAGE_ORDER, BATCH, LEVEL, STATES, ValueCase, call
from autograder.probing import Student, plain_array

# By row: whether the episode ended; the signs of the reward, of V(s') and of V(s). All pairs of
# signs stand among ends and among others, and the mean of the advantages is far above 0. The first
# row stays where it is, and the last one: flags that are read backwards are others.
ENDS = np.array([1, 1, 1, 0, 0, 0, 0], np.float32)
SIGNS = np.array([[1, -1, 1, -1, 1, 1, 1], [1, -1, -1, 1, -1, 1, 1], [-1, -1, 1, 1, -1, -1, -1]])


class TableCritic(nn.Module):
    """V(s) as a table, for arrays and for tensors."""

    def __init__(self, case: ValueCase) -> None:
        """Copies the case's table."""
        super().__init__()
        self.critic_network = world.table_network(case)

    def forward(self, obs: torch.Tensor) -> torch.Tensor:
        """Returns values. Shape (n,)."""
        values: torch.Tensor = self.critic_network(obs).squeeze(1)
        return values

    @torch.no_grad()
    def forward_np(self, obs: Any) -> np.ndarray:
        """Returns values for an array. Shape (n,)."""
        values: np.ndarray = self(torch.as_tensor(obs, dtype=torch.float32)).numpy()
        return values


def advantage_case(seed: int) -> ValueCase:
    """Draws a case in which no state stands twice."""
    rng = np.random.default_rng([285, 8, seed])
    sizes = rng.permuted(np.tile(np.linspace(0.3, 1.7, BATCH), (3, 1)), axis=1)
    rows = np.array([0, *rng.permutation(np.arange(1, BATCH - 1)), BATCH - 1])
    drawn = ((sizes + rng.uniform(0, 0.1, sizes.shape)) * SIGNS)[:, rows].astype(np.float32)
    states, table = rng.permutation(STATES), np.zeros(STATES, np.float32)
    table[states[: 2 * BATCH]] = drawn[1:].ravel()
    return replace(
        batches.scaled(batches.value_case(seed), seed),
        table=table,
        state=states[BATCH : 2 * BATCH],
        next_state=states[:BATCH],
        reward=drawn[0],
        terminal=ENDS[rows],
    )


def cases(seed: int) -> dict[str, ValueCase]:
    """Returns what is tried: all together, larger, and each part that may count without others."""
    case = advantage_case(seed)
    level = np.float32(LEVEL)
    large = replace(case, table=level * case.table, reward=level * case.reward)
    present, future = case.table.copy(), case.table.copy()
    present[case.next_state] = future[case.state] = 0.0
    return {
        "asked again": case,
        "large": large,
        "standardized": large,
        "rewards alone": replace(case, table=0 * case.table),
        "present values alone": replace(case, table=present),
        "next values, none ended": replace(case, table=future, terminal=0 * ENDS),
        "next values, all ended": replace(case, table=future, terminal=0 * ENDS + 1),
    }


def probe(student: Student, seed: int) -> None:
    """Estimates advantages with our critic.

    What does not go with arrays is tried with tensors, where the student's own `train` hands those
    over; and what does not go with our critic, with the student's own.
    """
    student.try_moves("advantages", functools.partial(moving, student, advantage_case(seed)))
    ways = {n: functools.partial(estimate, student, n, case) for n, case in cases(seed).items()}

    def own_and_tensors() -> Iterator[tuple[bool, bool]]:
        yield False, False
        if tensors := world.hands_over_tensors(student, "advantage"):
            yield False, True
        yield True, tensors

    student.first_whole(ways, own_and_tensors())


def moving(student: Student, case: ValueCase, seen: dict[str, Any]) -> None:
    """What advantages depend on."""

    def advantages(case: ValueCase) -> np.ndarray:
        agent = world.build_agent(student, case)
        agent.critic = TableCritic(case)
        return plain_array(call(agent.estimate_advantage, ADVANTAGE_ORDER, case.arrays()))

    fingerprint.note(seen, advantages, case, batches.moves(case) | batches.value_moves(case))


def estimate(
    student: Student, name: str, case: ValueCase, own: bool, tensors: bool, seen: dict[str, Any]
) -> None:
    """Estimates advantages of arrays or tensors, with our critic or with the student's own."""
    agent = world.build_agent(student, case, name == "standardized")
    agent.critic = world.build_critic(student, case) if own else TableCritic(case)
    form = world.as_tensors if tensors else dict
    arrays, other = form(case.arrays()), {k: a[::-1].copy() for k, a in case.arrays().items()}
    try:
        if name == "asked again":  # what is kept of a call, comes back in the next one
            call(agent.estimate_advantage, ADVANTAGE_ORDER, form(other))
    except Exception:  # noqa: BLE001  (the student's code: the next call raises it once more)
        pass
    try:
        adv_n = call(agent.estimate_advantage, ADVANTAGE_ORDER, arrays)
    finally:
        if name == "asked again":  # what is changed to what it was elsewhere, would not show there
            obs, action, reward, *others = batches.changed(case.arrays(), arrays)
            seen["rewards_changed"], seen["others_changed"] = reward, any((obs, action, *others))
    seen["reaches_critic"] = reaches_critic(adv_n, agent.critic)
    seen["adv_n"] = plain_array(adv_n)
    if name == "standardized":  # by n or by n - 1, and with any small number against none
        size = float(seen["adv_n"].std()) or 1.0
        seen["adv_n"], seen["size"] = seen["adv_n"] / size, np.round(np.log2(size))


def reaches_critic(adv_n: Any, critic: Any) -> bool:
    """Tells whether a loss made of these advantages would move the critic."""
    if not isinstance(adv_n, torch.Tensor) or not adv_n.requires_grad:
        return False
    with contextlib.suppress(RuntimeError):
        # Not of the plain sum: that of standardised advantages is constant.
        adv_n.square().sum().backward()  # type: ignore[no-untyped-call]
    grads = [p.grad for p in critic.critic_network.parameters()]
    return any(grad is not None and bool(grad.abs().sum() > 0) for grad in grads)

"""Estimates advantages: batches in which rewards and both values count together, and one by one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from autograder.homeworks.hw3.fakes import actor_critic as fake
from autograder.homeworks.hw3.fakes import transitions as batches
from autograder.homeworks.hw3.fakes.transitions import ADVANTAGE_ORDER, ValueCase, call
from autograder.running.experiments import Moves
from autograder.running.made_of import Parts
from autograder.running.probing import Student, plain_array

Form = tuple[bool, bool]  # whether the critic is the student's own; whether batches are tensors


def cases(seed: int) -> Mapping[str, ValueCase]:
    """Returns what is tried: all together, larger, and each part that may count without others."""
    case = batches.advantage_case(seed)
    large, none = batches.larger(case), np.zeros_like(case.terminal)
    present, future = case.table.copy(), case.table.copy()
    present[case.next_state] = future[case.state] = 0.0
    return {
        "asked again": replace(case, earlier=batches.chosen(case, slice(None, None, -1))),
        "large": large,
        "standardized": replace(large, standardize=True),
        "rewards alone": replace(case, table=0 * case.table),
        "present values alone": replace(case, table=present),
        "next values, none ended": replace(case, table=future, terminal=none),
        "next values, all ended": replace(case, table=future, terminal=none + 1),
    }


def forms(student: Student) -> Iterator[Form]:
    """Yields arrays and tensors with our critic; then the student's own critic."""
    for tensors in fake.arrays_or_tensors(student, "advantage"):
        yield False, tensors
    yield True, tensors


def moves(seed: int) -> Iterator[Moves]:
    """Moves each argument, and each of the two values."""
    case = batches.advantage_case(seed)
    yield Moves("advantages", case, batches.moves(case) | batches.value_moves(case))


def parts(seed: int) -> Iterator[Parts]:
    """Yields what advantages may be made of."""

    def rows(student: Student, case: ValueCase) -> np.ndarray:
        return np.ravel(observe(student, case)["adv_n"])

    yield Parts("advantages", batches.small_and_large(seed), rows, batches.pieces)


def observe(student: Student, case: ValueCase, form: Form = (False, False)) -> dict[str, Any]:
    """Returns the advantages, and whether a loss made of them would move the critic."""
    own, tensors = form
    agent = fake.build_agent(student, case)
    agent.critic = fake.build_critic(student, case) if own else fake.TableCritic(case)
    if case.earlier:  # what is kept of a call, comes back in the next one
        earlier = fake.lend(student, case.earlier, tensors)
        try:
            call(agent.estimate_advantage, ADVANTAGE_ORDER, earlier)
        except Exception:  # noqa: BLE001  (the student's code: the next call raises it once more)
            pass
    record, given = dict[str, Any](), fake.lend(student, case, tensors)
    with student.up_to_a_crash():
        adv_n = call(agent.estimate_advantage, ADVANTAGE_ORDER, given)
        record["adv_n"] = plain_array(adv_n)
        record["reaches_critic"] = reaches_critic(adv_n, agent.critic)
        if case.standardize:  # by n or by n - 1, and with any small number against none
            size = float(record["adv_n"].std()) or 1.0
            record["adv_n"], record["size"] = record["adv_n"] / size, np.round(np.log2(size))
    if case.earlier:  # in the other batches, what is added to rewards may be 0
        record["rewards_changed"] = not np.array_equal(given["reward"], case.reward)
    return record


def reaches_critic(adv_n: Any, critic: Any) -> bool:
    """Returns whether a loss made of these advantages would move the critic."""
    if not isinstance(adv_n, torch.Tensor) or not adv_n.requires_grad:
        return False
    with contextlib.suppress(RuntimeError):
        # Not of the plain sum: that of standardised advantages is constant.
        adv_n.square().sum().backward()
    grads = [p.grad for p in critic.critic_network.parameters()]
    return any(grad is not None and bool(grad.abs().sum() > 0) for grad in grads)

"""Lets the agent fit its baseline: how often, and towards which targets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from autograder.homeworks.hw2.fakes import pg
from autograder.homeworks.hw2.fakes.pg import Steps
from autograder.running.experiments import note_row
from autograder.running.probing import Student, number_in, plain_array


def cases(seed: int) -> Mapping[str, Steps]:
    """Returns what is tried: q-values of many sizes, several numbers of steps, equal q-values."""
    number = "baseline_gradient_steps"
    usual = replace(pg.steps(seed, 0.8), settings={number: 3})
    return {
        "usual": usual,
        "one step": replace(usual, settings={number: 1}),
        "seven steps": replace(usual, settings={number: 7}),
        "large q-values": replace(usual, q_n=300 * usual.q_n),
        "small q-values": replace(usual, q_n=0.2 * usual.q_n),
        "q-values far below 0": replace(usual, q_n=3 * usual.q_n - 700),
        "all equal": replace(usual, q_n=np.full(8, 7.25), ob_no=usual.ob_no[:8]),
    }


def observe(student: Student, case: Steps) -> dict[str, Any]:
    """Notes what the baseline was given, for a batch and for another one in the same arrays."""
    agent = pg.build(student, nn_baseline=True, **case.settings)
    q_n, ob_no, changed = case.q_n.copy(), case.ob_no.copy(), False
    for sign in (1, -2):
        q_n[:], ob_no[:] = sign * case.q_n, sign * case.ob_no
        calls: list[tuple[np.ndarray, np.ndarray, bool]] = []

        def update(ob_no: Any, target_n: Any, calls: Any = calls) -> float:
            if tuple(target_n.shape) != (len(ob_no),):  # as the real one
                raise ValueError(f"target_n has shape {tuple(target_n.shape)}")
            calls.append((plain_array(ob_no), plain_array(target_n), torch.is_grad_enabled()))
            [*agent.critic.parameters()][-1].data += 0.3  # it learns something
            return 1.0 / len(calls)

        agent.critic.update, loss = update, np.nan
        with student.up_to_a_crash():
            loss = number_in(agent._fit_baseline(agent.critic, ob_no, q_n))
        spreads = [pg.spread(target_n) for _, target_n, _ in calls]
        row = {
            "the targets of each step, divided by their deviation": [one for one, _ in spreads],
            "the deviation of the targets, roughly": [size for _, size in spreads],
            "the number of steps": len(calls),
            "each step has the observations": all(np.array_equal(ob, ob_no) for ob, *_ in calls),
            "a loss is returned": 1.0 / max(1, len(calls)) <= loss <= 1.0,
            "without_gradients": not all(enabled for *_, enabled in calls),
        }
        note_row(student, row)
        changed |= not np.array_equal(q_n, sign * case.q_n)
        changed |= not np.array_equal(ob_no, sign * case.ob_no)
        if student.crashed is not None:
            break
    return {"arrays that were given are changed": changed}

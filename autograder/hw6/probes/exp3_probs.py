"""Asks for the chances of EXP3: weights alike, apart, and too far apart for numbers."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from autograder.core import fingerprint
from autograder.probing import Student, plain_array

Case = tuple[np.ndarray, float]
"""Logarithms of the weights, and gamma."""


def cases(seed: int) -> dict[str, Case]:
    """Returns what is tried; no weight is 1, and their sum is no whole number."""
    rng = np.random.default_rng([285, 63, seed])
    log_w_k, gamma = rng.uniform(0.2, 2.0, 6), float(rng.uniform(0.1, 0.3))
    return {
        "weights apart": (log_w_k, gamma),
        "equal weights": (np.full(4, log_w_k[0]), gamma),
        "one weight far above all": (np.array([5.0, 900.0, 0.0]) + gamma, gamma),
        "gamma 0": (log_w_k[1:], 0.0),
        "gamma 1": (log_w_k[:3], 1.0),
        "one arm": (log_w_k[:1], gamma),
    }


def probe(student: Student, seed: int) -> None:
    """Asks in each case, and whether the weights are left alone."""
    student.try_moves("chances", functools.partial(moving, student, cases(seed)["weights apart"]))
    for name, case in cases(seed).items():
        student.try_out(name, functools.partial(ask, student, case))


def made(student: Student, case: Case) -> Any:
    """Returns a rule with these weights."""
    selectors: Any = student.module("infrastructure.selectors")
    rule = selectors.EXP3(len(case[0]), 0)
    rule.log_w_k, rule.gamma = case[0].copy(), case[1]
    return rule


def moving(student: Student, case: Case, seen: dict[str, Any]) -> None:
    """What the chances depend on."""
    log_w_k, gamma = case
    moves = {"log_w_k[2]": (log_w_k + np.eye(6)[2], gamma), "gamma": (log_w_k, gamma + 0.1)}
    fingerprint.note(seen, lambda case: plain_array(made(student, case).probs()), case, moves)


def ask(student: Student, case: Case, seen: dict[str, Any]) -> None:
    """Notes the chances."""
    rule = made(student, case)
    seen["p_k"] = plain_array(rule.probs())
    seen["weights_changed"] = not np.array_equal(rule.log_w_k, case[0])

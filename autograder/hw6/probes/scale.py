"""Asks for a return's place in the range of all returns so far."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from autograder.core import fingerprint
from autograder.hw6.portfolio_case import build
from autograder.probing import Student, plain_array

Case = tuple[float, float, float]
"""The lowest return, the highest, and the one that is asked for."""


def cases(seed: int) -> dict[str, Case]:
    """Returns what is tried."""
    low, high = np.random.default_rng([285, 69, seed]).uniform((-30, 40), (-20, 60)).tolist()
    return {
        "of both signs": (low, high, 0.3 * low + 0.7 * high),
        "all below 0": (-1600.0 + low, -200.0 + high, 20 * low),
        "all above 0": (high, 3 * high, 1.2 * high),
        "within one": (low / 100, low / 100 + 0.5, low / 100 + 0.1),
        "the lowest": (low, high, low),
        "the highest": (low, high, high),
    }


def probe(student: Student, seed: int) -> None:
    """Asks in each case."""
    student.try_moves("scores", functools.partial(moving, student, cases(seed)["of both signs"]))
    for name, case in cases(seed).items():
        student.try_out(name, functools.partial(ask, student, case))


def scaled(student: Student, case: Case) -> np.ndarray:
    """Returns what becomes of the return."""
    agent, _ = build(student, 0, 2)
    agent.record.low, agent.record.high = case[:2]
    return plain_array(agent.scaled(case[2]))


def moving(student: Student, case: Case, seen: dict[str, Any]) -> None:
    """What the score depends on."""
    low, high, score = case
    moves = {
        "low": (low + 1, high, score),
        "high": (low, high + 1, score),
        "score": (low, high, score + 1),
    }
    fingerprint.note(seen, lambda case: scaled(student, case).reshape(-1), case, moves)


def ask(student: Student, case: Case, seen: dict[str, Any]) -> None:
    """Notes the score."""
    x = scaled(student, case)
    seen["x"] = np.nan_to_num(x, nan=-999.0, posinf=999.0, neginf=-999.0)

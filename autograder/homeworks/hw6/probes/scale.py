"""Asks for a return's place in the range of all returns so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.homeworks.hw6.fakes.portfolio import Portfolio
from autograder.homeworks.hw6.fakes.rules import finite
from autograder.running.probing import Student

RESULTS = "scores"


@dataclass(frozen=True)
class Range:
    """The lowest return, the highest, and the one that is asked for."""

    low: float
    high: float
    score: float


def cases(seed: int) -> Mapping[str, Range]:
    """Returns what is tried."""
    low, high = np.random.default_rng([285, 69, seed]).uniform((-30, 40), (-20, 60)).tolist()
    return {
        "of both signs": Range(low, high, 0.3 * low + 0.7 * high),
        "all below 0": Range(-1600.0 + low, -200.0 + high, 20 * low),
        "all above 0": Range(high, 3 * high, 1.2 * high),
        "within one": Range(low / 100, low / 100 + 0.5, low / 100 + 0.1),
        "the lowest": Range(low, high, low),
        "the highest": Range(low, high, high),
    }


def observe(student: Student, case: Range) -> dict[str, Any]:
    """Returns what becomes of the return."""
    agent, _ = Portfolio(0).build(student)
    agent.record.low, agent.record.high = case.low, case.high
    return {"x": finite(agent.scaled(case.score))}

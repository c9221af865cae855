"""Asks the given schedules for their values at chosen times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.homeworks.hw3.fakes.given_code import takes
from autograder.running.probing import Student

TEXTS = {"parsed": "0:0.9,1e2:0.3,250:0.1", "constant": "1e-3"}
TEXT_TIMES = np.array([0, 40, 100, 190, 250, 400.0])
POINTS = {  # times and values, before they are moved a little: no two lengths or slopes are one
    "falling": ((0, 37, 60, 121), (0.95, 0.62, 0.33, 0.12)),
    "late": ((11, 52, 83), (0.5, 0.15, 0.8)),
}
NOTHING = -1.0  # which none of the values is
SLACK = 0.005


@dataclass(frozen=True)
class Asked:
    """The points of a schedule, or a text to read them from, and the times that are asked."""

    points: tuple[tuple[float, float], ...] | str
    times: np.ndarray


def cases(seed: int) -> Mapping[str, Asked]:
    """Returns schedules of points and of texts.

    Those of points are asked before they begin, at every point, within each segment near its ends
    and inside, and after the last.
    """
    found = {}
    for name, (times, values) in POINTS.items():
        rng = np.random.default_rng([285, 31, seed, len(times)])
        at = times + np.cumsum([0, *rng.integers(0, 6, len(times) - 1)])
        points = zip(at.tolist(), values + rng.uniform(-0.03, 0.03, len(at)), strict=True)
        parts = rng.uniform([0.1, 0.4, 0.8], [0.2, 0.45, 0.9], (len(at) - 1, 3))
        inside = np.round(at[:-1, None] + parts * np.diff(at)[:, None]).ravel()
        outside = [*(at[0] - np.array([7, 1])), *(at[-1] + np.array([1, 29]))]
        found[name] = Asked(tuple(points), np.unique(np.concatenate([at, inside, outside])))
    return found | {name: Asked(text, TEXT_TIMES) for name, text in TEXTS.items()}


def observe(student: Student, case: Asked) -> dict[str, Any]:
    """Asks in order, and backwards; a schedule with another interface is not asked."""
    make: Any = student.module("infrastructure.base.schedules").PiecewiseSchedule
    if not takes(make, []):
        return {"has_another_interface": True}
    text = isinstance(case.points, str)
    schedule = make.parse(case.points) if text else make(list(case.points))
    once = values(schedule, case.times)
    again = values(schedule, case.times[::-1])[::-1]
    record: dict[str, Any] = {"value": once, "counts_calls": once != again}
    if not isinstance(case.points, str):
        at, right = np.transpose(case.points)
        if np.all(np.diff(right) < 0):
            record |= otherwise(np.array(once), np.interp(case.times, at, right))
    return record


def otherwise(value: np.ndarray, expected: np.ndarray) -> dict[str, bool]:
    """Returns what a schedule does that should fall along its lines, by a flag: one at most."""
    steps, late = np.diff(value), value - expected
    falls, right = np.all(steps <= SLACK), np.all(abs(late) < 1e-6)
    kinds = {
        "constant": np.ptp(value) < SLACK,
        "grows": np.all(steps >= -SLACK),
        "too_fast": falls and np.all(late <= SLACK),
        "too_slow": falls and np.all(late >= -SLACK),
    }
    first = next((kind for kind, seems in kinds.items() if seems and not right), "")
    return {kind: kind == first for kind in kinds}


def values(schedule: Any, times: np.ndarray) -> list[float]:
    """Returns the values of a schedule; `NOTHING` where it returns nothing."""
    found = [schedule.value(t) for t in times.tolist()]
    return [NOTHING if value is None else float(value) for value in found]

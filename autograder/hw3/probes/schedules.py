"""Probe of the given schedules: the values of `PiecewiseSchedule` at chosen times."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.probing import Student

TEXT, CONSTANT_TEXT = "0:0.9,1e2:0.3,250:0.1", "1e-3"
TEXT_TIMES = np.array([0, 40, 100, 190, 250, 400.0])
POINTS = {  # times and values, before they are moved a little: no two lengths or slopes are one
    "falling": ((0, 37, 60, 121), (0.95, 0.62, 0.33, 0.12)),
    "late": ((11, 52, 83), (0.5, 0.15, 0.8)),
}


def takes(function: Any, *args: Any, **kwargs: Any) -> bool:
    """Tells whether something can be called with exactly these arguments: our interface."""
    try:
        inspect.signature(function).bind(*args, **kwargs)
    except (TypeError, ValueError):
        return False
    return True


def made(kind: Any, *args: Any, **kwargs: Any) -> Any:
    """Returns what comes of a call with exactly these arguments; None if that cannot be made."""
    return kind(*args, **kwargs) if takes(kind, *args, **kwargs) else None


def ask(schedule: Any, times: np.ndarray) -> list[float]:
    """Returns the schedule's values; -1, which none of them is, where it returns nothing."""
    values = [schedule.value(t) for t in times.tolist()]
    return [-1.0 if value is None else float(value) for value in values]


def probe(student: Student, seed: int) -> None:
    """Asks two schedules in order and backwards, one before its beginning, and reads texts."""
    loaded: dict[str, Any] = {}

    def load(seen: dict[str, Any]) -> None:
        loaded["class"] = student.module("infrastructure.schedules").PiecewiseSchedule

    if student.try_out("load", load).crash or not takes(loaded["class"], []):
        return
    for name, points in POINTS.items():
        student.try_out(name, functools.partial(values, loaded["class"], seed, *points))
    student.try_out("parsed", functools.partial(parsed, loaded["class"]))


def values(
    kind: Any, seed: int, times: Sequence[int], values: Sequence[float], seen: dict[str, Any]
) -> None:
    """Asks a schedule, first before it begins, then in order and backwards.

    It is asked at every point, within each segment near its ends and inside, and after the last.
    """
    rng = np.random.default_rng([285, 31, seed, len(times)])
    at = times + np.cumsum([0, *rng.integers(0, 6, len(times) - 1)])
    points = list(zip(at.tolist(), values + rng.uniform(-0.03, 0.03, len(at)), strict=True))
    parts = rng.uniform([0.1, 0.4, 0.8], [0.2, 0.45, 0.9], (len(at) - 1, 3))
    inside = np.round(at[:-1, None] + parts * np.diff(at)[:, None]).ravel()
    asked = np.unique(np.concatenate([at, inside, at[-1] + np.array([1, 29])]))
    schedule = kind(points)
    once, again = ask(schedule, asked), ask(schedule, asked[::-1])[::-1]
    seen["value"] = [*ask(kind(points), at[:1] - np.array([7, 1])), *once]
    seen["counts_calls"] = once != again


def parsed(kind: Any, seen: dict[str, Any]) -> None:
    """Asks schedules that were read from texts."""
    seen["value"] = ask(kind.parse(TEXT), TEXT_TIMES)
    seen["constant"] = ask(kind.parse(CONSTANT_TEXT), TEXT_TIMES)

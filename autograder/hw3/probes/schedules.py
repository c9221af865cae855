"""Probe of the given schedules: the values of `PiecewiseSchedule` at chosen times."""

from __future__ import annotations

import functools
import inspect
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.probing import Student

TEXT, CONSTANT_TEXT = "0:0.9,1e2:0.3,250:0.1", "1e-3"
TEXT_TIMES = (0.0, 40.0, 100.0, 190.0, 250.0, 400.0)


@dataclass(frozen=True)
class ScheduleCase:
    """A schedule's points, and the times at which it is asked."""

    times: np.ndarray  # of the points
    values: np.ndarray
    asked: np.ndarray

    @property
    def endpoints(self) -> list[tuple[int, float]]:
        """What `PiecewiseSchedule` is built from."""
        return [(int(t), float(v)) for t, v in zip(self.times, self.values, strict=True)]


def falling_case(seed: int) -> ScheduleCase:
    """Draws a schedule that falls from time 0 on: no two segments have one length or slope."""
    rng = np.random.default_rng([285, 31, seed])
    lengths = np.array([37, 23, 61]) + rng.integers(0, 7, 3)
    values = np.array([0.95, 0.62, 0.33, 0.12]) + rng.uniform(-0.03, 0.03, 4)
    return _asked_between(np.concatenate([[0], np.cumsum(lengths)]), values, rng)


def late_case(seed: int) -> ScheduleCase:
    """Draws a schedule that begins after time 0, falls and rises again."""
    rng = np.random.default_rng([285, 32, seed])
    times = np.array([11, 52, 83]) + rng.integers(0, 5, 3)
    values = np.array([0.5, 0.15, 0.8]) + rng.uniform(-0.04, 0.04, 3)
    return _asked_between(times, values, rng)


def _asked_between(times: np.ndarray, values: np.ndarray, rng: np.random.Generator) -> ScheduleCase:
    """Asks at every point, within each segment near its ends and inside, and after the last."""
    parts = rng.uniform([0.1, 0.4, 0.8], [0.2, 0.45, 0.9], (len(times) - 1, 3))
    inside = np.round(times[:-1, None] + parts * np.diff(times)[:, None]).ravel()
    after = times[-1] + np.array([1, 29])
    return ScheduleCase(times, values, np.unique(np.concatenate([times, inside, after])))


def takes(function: Any, *args: Any, **kwargs: Any) -> bool:
    """Tells whether something can be called with exactly these arguments: our interface."""
    try:
        inspect.signature(function).bind(*args, **kwargs)
    except (TypeError, ValueError):
        return False
    return True


def ask(schedule: Any, times: np.ndarray) -> list[float]:
    """Returns the schedule's values; -1, which none of them is, where it returns nothing."""
    values = [schedule.value(t) for t in times.tolist()]
    return [-1.0 if value is None else float(value) for value in values]


def probe(student: Student, seed: int) -> None:
    """Asks two schedules in order and backwards, one before its beginning, and reads texts."""
    made: dict[str, Any] = {}

    def load(seen: dict[str, Any]) -> None:
        made["class"] = student.module("infrastructure.schedules").PiecewiseSchedule

    if student.try_out("load", load).crash or not takes(made["class"], []):
        return
    for name, case in (("falling", falling_case(seed)), ("late", late_case(seed))):
        student.try_out(name, functools.partial(values, made["class"], case))
    student.try_out("parsed", functools.partial(parsed, made["class"]))


def values(kind: Any, case: ScheduleCase, seen: dict[str, Any]) -> None:
    """Asks a schedule, first before it begins, then in order and backwards."""
    before = ask(kind(case.endpoints), case.times[:1] - np.array([7, 1]))
    schedule = kind(case.endpoints)
    seen["value"] = [*before, *ask(schedule, case.asked)]
    seen["again"] = ask(schedule, case.asked[::-1])[::-1]


def parsed(kind: Any, seen: dict[str, Any]) -> None:
    """Asks schedules that were read from texts."""
    seen["value"] = ask(kind.parse(TEXT), np.array(TEXT_TIMES))
    seen["constant"] = ask(kind.parse(CONSTANT_TEXT), np.array(TEXT_TIMES))

"""Answers about the given schedules: values along straight lines, as a formula with switches."""

from __future__ import annotations

import functools
import warnings
from typing import Literal

import numpy as np

from autograder.hw3.probe_schedules import CONSTANT_TEXT, ScheduleCase, falling_case, late_case
from autograder.judge import (
    Choice,
    Factor,
    Judgement,
    Outcome,
    close,
    difference,
    explain,
    judge_crash,
    mistakes_in,
    right_choice,
)
from autograder.probing import Observation

LINE = Factor(
    "line",
    {
        "straight": None,
        "reversed": "schedule.reversed",
        "away": "schedule.grows",
        "left": "schedule.steps",
        "right": "schedule.steps",
        "first": "schedule.constant",
        "whole": "schedule.middle_ignored",
        "t / t1": "schedule.segment_length",
        "(t - t0) / t1": "schedule.segment_length",
        "geometric": "schedule.curved",
    },
)
SIDE = Factor("side", {"[t0, t1)": None, "(t0, t1]": None})
AFTER = Factor(
    "after",
    {
        "last": None,
        "0": "schedule.after_end",
        "first": "schedule.after_end",
        "none": "schedule.after_end",
        "on": "schedule.runs_on",
    },
)
POINT = Factor(
    "point",
    {
        "own": None,
        "outside": "schedule.at_breakpoint",
        "first outside": "schedule.at_breakpoint",
    },
)
FACTORS = (LINE, SIDE, AFTER, POINT)
SLACK = 0.005


def along(choice: Choice, t: np.ndarray, ends: tuple[np.ndarray, ...]) -> np.ndarray:
    """Returns the values at times `t` within segments from (t0, v0) to (t1, v1)."""
    t0, t1, v0, v1 = ends
    share = {"t / t1": t / t1, "(t - t0) / t1": (t - t0) / t1}.get(
        choice["line"], (t - t0) / (t1 - t0)
    )
    if choice["line"] == "reversed":
        return np.asarray(v1 + share * (v0 - v1))
    if choice["line"] == "away":
        return np.asarray(v0 - share * (v1 - v0))
    if choice["line"] == "geometric":
        return np.asarray(v0 * (v1 / v0) ** share)
    if choice["line"] in ("left", "right"):
        return v0 if choice["line"] == "left" else v1
    return np.asarray(v0 + share * (v1 - v0))


def predict(case: ScheduleCase, choice: Choice) -> Outcome:
    """Predicts the values at `case.asked`."""
    t, times, values = case.asked, case.times, case.values
    if choice["line"] == "first":
        return {"value": np.full(len(t), values[0])}
    if choice["line"] == "whole":
        times, values = times[[0, -1]], values[[0, -1]]
    side: Literal["left", "right"] = "right" if choice["side"] == "[t0, t1)" else "left"
    left = np.clip(np.searchsorted(times, t, side) - 1, 0, len(times) - 2)
    ends = (times[left], times[left + 1], values[left], values[left + 1])
    on = along(choice, t, ends)
    after = {"0": 0.0, "first": values[0], "none": np.nan}.get(choice["after"], values[-1])
    outside = t >= times[-1] if side == "right" else t > times[-1]
    value = np.where(outside & (choice["after"] != "on"), after, on)
    value = np.where((t == times[0]) & (side == "left"), values[0], value)
    if choice["point"] != "own":
        points = case.times if choice["point"] == "outside" else case.times[:1]
        value = np.where(np.isin(t, points), after, value)
    return {"value": value}


def judge_schedules(seen: Observation, seed: int) -> Judgement:
    """Judges all that a schedule was asked."""
    verdict = Judgement()
    if "falling" not in seen:
        return verdict  # not there, or with another interface
    for name, case in (("falling", falling_case(seed)), ("late", late_case(seed))):
        arrays = seen[name].arrays
        if not {"value", "again"} <= set(arrays):
            continue
        if not np.allclose(arrays["value"], arrays["again"], equal_nan=True):
            verdict.name("schedule.counts_calls")
        elif verdict.passed:
            _judge_values(arrays["value"], case, verdict)
    crashes = [trial.crash for trial in seen.values() if trial.crash]
    if verdict.passed and crashes:
        judge_crash(crashes[0], None, verdict)
    elif verdict.passed:
        _judge_outside(seen, seed, verdict)
    return verdict


def _judge_outside(seen: Observation, seed: int, verdict: Judgement) -> None:
    """Before its first point a schedule has that point's value; a text says the same as points."""
    first = late_case(seed).values[0]
    if not close(seen["before"].arrays["value"], np.full(2, first)):
        verdict.name("schedule.before_start")
    if "parsed" in seen:
        arrays = seen["parsed"].arrays
        constant = np.full(len(arrays["value"]), float(CONSTANT_TEXT))
        if not close(arrays["value"], arrays["built"]) or not close(arrays["constant"], constant):
            verdict.name("schedule.parse")


def _judge_values(value: np.ndarray, case: ScheduleCase, verdict: Judgement) -> None:
    """Names what explains the values of one schedule."""

    def agrees(outcome: Outcome) -> bool:
        return bool(np.allclose(value, outcome["value"], 1e-3, 1e-5, equal_nan=True))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = explain(FACTORS, functools.partial(predict, case), agrees)
    right = predict(case, right_choice(FACTORS))["value"]
    if found:
        verdict.name(*mistakes_in(found, FACTORS))
    elif by_shape := _by_shape(value, right):
        verdict.name(by_shape)
    else:
        verdict.unknown.append(difference("value", value, right))


def _by_shape(value: np.ndarray, right: np.ndarray) -> str | None:
    """Names what a falling schedule does where no formula fits."""
    if not np.all(np.isfinite(value)) or np.any(np.diff(right) > SLACK):
        return None
    if np.ptp(value) < SLACK:
        return "schedule.constant"
    if np.all(np.diff(value) >= -SLACK):
        return "schedule.grows"
    if not np.all(np.diff(value) <= SLACK):
        return None
    if np.all(value <= right + SLACK):
        return "schedule.too_fast"
    return "schedule.too_slow" if np.all(value >= right - SLACK) else None

"""How a probe is run: its cases, their arrays, and code that crashes in the middle."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from autograder.base.seen import Seen
from autograder.running import experiments
from autograder.running.probing import Student


@dataclass(frozen=True)
class Numbers:
    """A case with an array."""

    numbers: np.ndarray


def ran(observe: Callable[..., Mapping[str, Any]], case: Any, **more: Any) -> Seen:
    """Returns what a probe sees that observes some case twice."""
    tree = SimpleNamespace(package="nowhere", brief=False, trial="")
    student = Student(SimpleNamespace(tree=tree))  # type: ignore[arg-type]
    probe: Any = SimpleNamespace(
        cases=lambda seed: {"once": case, "again": case}, observe=observe, **more
    )
    experiments.run(probe, student, seed=1)
    return student.seen


def test_what_was_seen_before_a_crash_is_kept() -> None:
    def observe(student: Student, steps: int) -> dict[str, Any]:
        record = []
        with student.up_to_a_crash():
            for step in range(steps):
                record.append(step)
                if step == 2:
                    raise KeyError(step)
        return {"steps": record}

    crashed = ran(observe, 5)
    assert crashed.crashes["again"].kind == "KeyError"
    assert crashed.arrays["again/steps"].tolist() == [0, 1, 2]
    whole = ran(observe, 2)
    assert not whole.crashes and whole.arrays["again/steps"].tolist() == [0, 1]


def test_a_crash_ends_with_its_trial() -> None:
    calls = []

    def observe(student: Student, case: Any) -> dict[str, Any]:
        calls.append(case)
        with student.up_to_a_crash():
            if len(calls) == 1:
                raise KeyError(case)
        return {"calls": len(calls)}

    seen = ran(observe, 0)
    assert seen.crashes.keys() == {"once"} and "again/calls" in seen.arrays


def test_moved_inputs_crash_as_the_trials_do() -> None:
    def observe(student: Student, case: Numbers) -> dict[str, Any]:
        with student.up_to_a_crash():
            if case.numbers[0] > 0:
                raise KeyError(case.numbers[0])
        return {"numbers": case.numbers}

    seen = ran(observe, Numbers(np.array([0.0, 2.0])), RESULTS="numbers")
    assert seen.crashes.keys() == {"depends: numbers"}


@pytest.mark.parametrize("changes", [True, False])
def test_lent_arrays_are_watched(changes: bool) -> None:
    def observe(student: Student, number: float) -> dict[str, Any]:
        mine = np.full(3, number)
        lent = student.lend({"number": mine})["number"]
        lent += changes
        return {"mine": mine}

    seen = ran(observe, 2.0)
    assert seen.arrays["inputs/inputs_changed"] == changes
    assert seen.arrays["once/mine"].tolist() == [2.0] * 3


@pytest.mark.parametrize("changes", [True, False])
def test_a_cases_own_arrays_are_watched(changes: bool) -> None:
    def observe(_: Student, case: Numbers) -> dict[str, Any]:
        case.numbers[0] += changes
        return {}

    mine = Numbers(np.zeros(2))
    assert ran(observe, mine).arrays["inputs/inputs_changed"] == changes
    assert not mine.numbers.any()


def test_where_all_crashes_nothing_is_said_of_inputs() -> None:
    def observe(_: Student, case: Numbers) -> dict[str, Any]:
        raise KeyError(case)

    assert ran(observe, Numbers(np.zeros(2))).cases == {"once", "again"}


def test_rows_stay_whatever_is_raised_later() -> None:
    kept = [0.0, 2.0]

    def observe(student: Student, steps: int) -> dict[str, Any]:
        for step in range(steps):
            kept[0] = float(step)
            experiments.note_row(student, {"step": step, "kept": kept, "words": "two"})
        raise KeyError(steps)

    crashed = ran(observe, 3)
    assert "again" in crashed.crashes
    again = crashed.of("again")
    assert again["step"].tolist() == [0, 1, 2]
    assert again["kept"].tolist() == [[0, 2], [1, 2], [2, 2]]  # a copy each time
    assert not again["words"].size  # no numbers equal no right ones
    assert not ran(observe, 0).of("again")


def test_a_row_is_moved_to_a_value_or_to_another_one() -> None:
    case = Numbers(np.array([0.5, 2.0, 3.0]))
    assert experiments.shifted(case, "numbers", 1).numbers.tolist() == [0.5, 3.0, 3.0]
    assert experiments.shifted(case, "numbers", 1, 0.0).numbers.tolist() == [0.5, 0.0, 3.0]
    assert case.numbers.tolist() == [0.5, 2.0, 3.0]

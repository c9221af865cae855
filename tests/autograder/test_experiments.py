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
        for step in range(steps):
            experiments.note_row(student, {"steps": step})
            if step == 2:
                raise KeyError(step)
        return {}

    crashed = ran(observe, 5)
    assert crashed.crashes["again"].kind == "KeyError"
    assert crashed.arrays["again/steps"].tolist() == [0, 1, 2]
    whole = ran(observe, 2)
    assert not whole.crashes and whole.arrays["again/steps"].tolist() == [0, 1]


def test_a_crash_ends_with_its_trial() -> None:
    calls = []

    def observe(student: Student, case: Any) -> dict[str, Any]:
        calls.append(case)
        if len(calls) == 1:
            raise KeyError(case)
        return {"calls": len(calls)}

    seen = ran(observe, 0)
    assert seen.crashes.keys() == {"once"} and "again/calls" in seen.arrays


def test_descriptions_crash_as_the_trials_do() -> None:
    def observe(student: Student, case: Numbers) -> dict[str, Any]:
        if case.numbers[0] > 0:
            raise KeyError(case.numbers[0])
        return {"numbers": case.numbers}

    def describe(student: Student, cases: Mapping[str, Any]) -> None:
        def moved(record: dict[str, Any]) -> None:
            (case,) = experiments.each_field(cases["once"]).values()
            experiments.results(SimpleNamespace(observe=observe), student, case)

        student.try_in_time("depends: numbers", moved)

    seen = ran(observe, Numbers(np.array([0.0, 2.0])), describe=describe)
    assert seen.crashes.keys() == {"depends: numbers"}


def test_what_one_trial_changes_no_other_one_sees() -> None:
    def observe(_: Student, case: Numbers) -> dict[str, Any]:
        case.numbers[0] += 1
        return {"numbers": case.numbers}

    mine = Numbers(np.zeros(2))
    assert ran(observe, mine).arrays["again/numbers"].tolist() == [1.0, 0.0]
    assert not mine.numbers.any()


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


@pytest.mark.parametrize(
    ("numbers", "moved"),
    [([0.5, 2.0], [1.5, 2.0]), ([1.0, 0.0], [0.0, 0.0]), ([3, 5], [5, 5]), ([True], [False])],
)
def test_a_row_is_moved_to_another_value_of_its_kind(numbers: list[Any], moved: list[Any]) -> None:
    case = Numbers(np.array(numbers))
    found = experiments.each_field(case)
    assert found["numbers"].numbers.tolist() == moved
    assert case.numbers.tolist() == numbers


def test_rows_are_moved_by_their_words() -> None:
    case = Numbers(np.array([0.5, 2.0]))
    found = experiments.each_field(case, places={"": 0, " at the end": 1, " beyond": 2}, step=-1)
    assert found.keys() == {"numbers", "numbers at the end"}
    assert found["numbers at the end"].numbers.tolist() == [0.5, 1.0]
    assert not experiments.each_field(case, ["others"])

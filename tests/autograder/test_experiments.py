"""The core that runs a probe's cases."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from autograder import experiments
from autograder.experiments import note_row
from autograder.probing import Student
from autograder.submission import PackageFinder, Tree


@dataclass(frozen=True)
class Case:
    """Numbers that may be changed."""

    number_n: np.ndarray


@pytest.fixture
def student() -> Student:
    """Returns our own code as a student's."""
    return Student(PackageFinder(Tree(), ()))


def probe_of(observe: Any, **cases: Any) -> Any:
    """Returns a probe."""
    probe: Any = ModuleType("probe")
    probe.cases, probe.observe = lambda seed: cases, observe
    return probe


def test_rows_stay_whatever_is_raised_later(student: Student) -> None:
    kept = [1.0, 2.0]

    def observe(student: Student, case: int) -> dict[str, Any]:
        for number in range(case):
            kept[0] = float(number)
            note_row(student, {"number": number, "kept": kept, "words": "two"})
        raise ValueError

    experiments.run(probe_of(observe, none=0, three=3), student, 0)
    none, three = student.trials["none"], student.trials["three"]
    assert none.crash and three.crash
    assert not none.arrays
    assert three.arrays["number"].tolist() == [0, 1, 2]
    assert three.arrays["kept"].tolist() == [[0, 2], [1, 2], [2, 2]]  # a copy each time
    assert not three.arrays["words"].size  # no numbers equal no right record


def test_inputs_are_compared_unless_everything_crashes(student: Student) -> None:
    """Else a crash everywhere would not seem to be one."""

    def observe(student: Student, case: Case) -> dict[str, Any]:
        case.number_n[0] += 1
        return {"reciprocal": 1 // int(case.number_n[1])}

    none, some = Case(np.zeros(2)), Case(np.ones(2))
    experiments.run(probe_of(observe, none=none), student, 0)
    assert list(student.trials) == ["none"]
    experiments.run(probe_of(observe, none=none, some=some), student, 0)
    assert student.trials["inputs"].arrays["inputs_changed"]
    assert not none.number_n.any()

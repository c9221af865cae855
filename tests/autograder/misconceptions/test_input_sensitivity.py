"""What depends on what is told, and only where it differs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autograder.misconceptions import differences
from autograder.running import input_sensitivity

Numbers = tuple[float, float, float]
MOVES = {"first": (2.0, 2.0, 3.0), "second at the end": (1.0, 3.0, 3.0), "third": (1.0, 2.0, 4.0)}
WRONG: dict[str, tuple[Callable[[np.ndarray], Any], list[str]]] = {
    "as it should": (lambda x: x + x[0], []),
    "all counts more": (lambda x: 5 * x + 5 * x[0], []),
    "one input counts more": (
        lambda x: np.array([2 * x[0], 3 * x[1] + x[0], x[0] + x[2]]),
        ["your sums move 3 times as far with `second` at the end as they should"],
    ),
    "one input is ignored": (
        lambda x: np.array([x[0], 2 * x[0], x[0] + x[2]]),
        ["your sums do not change when `second` at the end does; they should"],
    ),
    "what ought to rise falls": (
        lambda x: np.array([-x[0], x[1] - x[0], x[2] - x[0]]),
        ["your sums move the wrong way when `first` does"],
    ),
    "rows meet": (
        lambda x: x[0] + np.array([0.0, x[1] + x[2], x[2]]),
        ["row 1 of your sums changes with `third`; only others should"],
    ),
    "a row is left out": (
        lambda x: np.array([x[0], x[1], x[0] + x[2]]),
        ["row 1 of your sums does not change with `first` as it should"],
    ),
}


def record(result: Callable[[np.ndarray], Any]) -> dict[str, np.ndarray]:
    record: dict[str, Any] = {}
    input_sensitivity.note(record, lambda case: result(np.array(case)), (1.0, 2.0, 3.0), MOVES)
    return {f"{input_sensitivity.TRIAL}sums/{what}": array for what, array in record.items()}


@pytest.mark.parametrize("name", WRONG)
def test_what_differs_is_told(name: str) -> None:
    result, message = WRONG[name]
    found = differences.dependences(record(result), record(lambda x: x + x[0]))
    assert [one.remark for one in found] == message


def test_chance_is_told_alone() -> None:
    rng = np.random.default_rng(0)
    (found,) = differences.dependences(record(lambda x: rng.normal(size=3)), record(lambda x: x))
    message = found.remark
    assert "random" in message


def test_another_shape_is_left_to_the_numbers() -> None:
    assert not differences.dependences(record(lambda x: x[:, None] + x), record(lambda x: x))


@pytest.mark.parametrize(("share", "moves"), [(2e-4, True), (0.5e-4, False)])
@pytest.mark.parametrize("largest", [1.0, 1000.0])
def test_what_moves_by_a_ten_thousandth_is_noted(share: float, moves: bool, largest: float) -> None:
    """Less is float32 arithmetic; more is an input on which the result depends a little."""

    def result(case: tuple[float, ...]) -> np.ndarray:
        return np.array([largest, case[0] * share * largest])

    record: dict[str, Any] = {}
    input_sensitivity.note(record, result, (0.0,), {"first": (1.0,), "first, down": (-1.0,)})
    for name, sign in (("first", 1), ("first, down", -1)):
        assert np.sign(record[name]).tolist() == [0, sign * moves]

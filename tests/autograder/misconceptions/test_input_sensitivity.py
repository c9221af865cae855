"""How a result depends on its inputs is described where it differs: as a table, or in words."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

from autograder.base.judgement import Judgement, judgement_of
from autograder.base.seen import MOVED, Seen
from autograder.misconceptions.dependences import ROWS, dependences
from autograder.misconceptions.wording import in_words
from autograder.running.experiments import note_dependence

Numbers = tuple[float, float, float]
MOVES = {"first": (2.0, 2.0, 3.0), "second at the end": (1.0, 3.0, 3.0), "third": (1.0, 2.0, 4.0)}
WRONG: dict[str, tuple[Callable[[np.ndarray], Any], str, str]] = {
    "one input counts more": (
        lambda x: np.array([2 * x[0], 3 * x[1] + x[0], x[0] + x[2]]),
        "your sums change with `second` at the end, but not as far as they should, or too far",
        "* yours +3 ours +1  `second` at the end, row 1",
    ),
    "one input is ignored": (
        lambda x: np.array([2 * x[0], x[0], x[0] + x[2]]),
        "your sums do not change when `second` at the end does; they should",
        "* yours 0  ours +1  `second` at the end, row 1",
    ),
    "what ought to rise falls": (
        lambda x: np.array([-x[0], x[1] - x[0], x[2] - x[0]]),
        "your sums fall when `first` should raise them, or the other way round",
        "* yours -1 ours +2  `first`, row 0",
    ),
    "rows meet": (
        lambda x: x[0] + np.array([x[0], x[1] + x[2], x[2]]),
        "row 1 of your sums changes with `third`; only others should",
        "* yours +1 ours 0   `third`, row 1",
    ),
}


def seen(result: Callable[[np.ndarray], Any]) -> Seen:
    noted: dict[str, Any] = {}
    note_dependence(noted, lambda case: result(np.array(case)), (1.0, 2.0, 3.0), MOVES)
    return Seen({f"{MOVED}sums/{what}": array for what, array in noted.items()})


@pytest.mark.parametrize("name", WRONG)
def test_what_differs_is_described(name: str) -> None:
    result, sentence, row = WRONG[name]
    (found,) = dependences(seen(result), seen(lambda x: x + x[0]))
    assert in_words(found, answers=False).split("; your")[0].startswith(sentence)
    lines = in_words(found).splitlines()
    assert row in lines
    assert len(lines) <= 1 + ROWS
    assert all(line.startswith(("* yours ", "  yours ")) for line in lines[1:])


@pytest.mark.parametrize("scale", [1, 5])
def test_nothing_is_said_of_what_is_right_up_to_the_scale_of_a_loss(scale: float) -> None:
    assert not dependences(seen(lambda x: scale * (x + x[0])), seen(lambda x: x + x[0]))


@pytest.mark.parametrize("scale", [1, 5])
def test_the_scale_of_a_loss_is_left_out_where_one_input_is_wrong(scale: float) -> None:
    wrong = seen(lambda x: scale * (x + x[0] + x[1] * np.eye(3)[0]))
    assert_right_is(wrong, marked=1)


def test_nothing_is_divided_where_an_input_counts_as_it_should() -> None:
    """As in a target: the reward counts 1, and all that comes later too much."""
    assert_right_is(seen(lambda x: 2 * (x + x[0]) - np.eye(3)[2] * x[2]), marked=2)


def assert_right_is(yours: Seen, marked: int) -> None:
    (found,) = dependences(yours, seen(lambda x: x + x[0]))
    assert sum(line.startswith("*") for line in in_words(found).splitlines()[1:]) == marked


def test_right_inputs_stand_beside_wrong_ones_without_a_mark() -> None:
    result, _, row = WRONG["one input is ignored"]
    (found,) = dependences(seen(result), seen(lambda x: x + x[0]))
    marks = {line[0] for line in in_words(found).splitlines()[1:]}
    assert marks == {"*", " "}
    assert in_words(found).splitlines()[1] == row


def test_who_can_ask_again_is_not_shown_how_ours_change() -> None:
    result, _, _ = WRONG["one input counts more"]
    (found,) = dependences(seen(result), seen(lambda x: x + x[0]))
    assert not any(character.isdigit() for character in in_words(found, answers=False))


def test_a_table_survives_json() -> None:
    judgement = Judgement(unknown=dependences(seen(lambda x: 0 * x), seen(lambda x: x + x[0])))
    assert judgement.unknown[0].responses
    (kept,) = judgement_of(json.loads(json.dumps(asdict(judgement)))).unknown
    assert in_words(kept) == in_words(judgement.unknown[0])


def test_chance_is_described_alone() -> None:
    rng = np.random.default_rng(0)
    (found,) = dependences(seen(lambda x: rng.normal(size=3)), seen(lambda x: x))
    assert "random" in found.remark and not found.responses


def test_another_shape_is_left_to_the_numbers() -> None:
    assert not dependences(seen(lambda x: x[:, None] + x), seen(lambda x: x))


@pytest.mark.parametrize(("share", "moves"), [(2e-4, True), (0.5e-4, False)])
@pytest.mark.parametrize("largest", [1.0, 1000.0])
def test_what_moves_by_a_ten_thousandth_is_noted(share: float, moves: bool, largest: float) -> None:
    """Less is float32 arithmetic; more is an input on which the result depends a little."""

    def result(case: tuple[float, ...]) -> np.ndarray:
        return np.array([largest, case[0] * share * largest])

    record: dict[str, Any] = {}
    note_dependence(record, result, (0.0,), {"first": (1.0,), "first, down": (-1.0,)})
    for name, sign in (("first", 1), ("first, down", -1)):
        assert np.sign(record[name]).tolist() == [0, sign * moves]

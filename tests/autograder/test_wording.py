"""Wrong numbers are told by how they come from the right ones; chance is not mistaken for that."""

from __future__ import annotations

import re

import numpy as np
import pytest

from autograder.base.seen import Seen
from autograder.misconceptions.differences import how_it_differs, relation
from autograder.misconceptions.wording import in_words


def text_of(yours: np.ndarray, right: np.ndarray) -> str:
    found = relation([(yours, right)])
    return found.text if found else ""


RIGHT = np.random.default_rng(3).normal(0, 9, (7, 2))


@pytest.mark.parametrize(
    ("yours", "words"),
    [
        (RIGHT.clip(-5, 5), "what is right, cut off at -5 and 5"),
        (RIGHT.clip(min=0), "what is right, cut off at 0"),
        (RIGHT.clip(min=0) * (1 - 1e-6), "what is right, cut off at 0"),
        (-RIGHT, "what is right with the other sign"),
        (abs(RIGHT), "the absolute values of what is right"),
        (RIGHT.round(), "what is right, rounded"),
        (np.trunc(RIGHT), "what is right without what stands after the point"),
        (RIGHT[::-1], "what is right in the opposite order"),
        (np.roll(RIGHT, 1, 0), "what is right, one row too late"),
        (np.roll(RIGHT, -1, 0), "what is right, one row too early"),
        (RIGHT[[2, 0, 1, 3, 6, 5, 4]], "what is right, in another order"),
        ((RIGHT - RIGHT.mean()) / (RIGHT.std() + 1e-8), "what is right, standardized"),
        (
            (RIGHT - RIGHT.mean(0)) / RIGHT.std(0),
            "what is right, standardized, each column for itself",
        ),
        (RIGHT.cumsum(0), "the sums of what is right up to each row"),
        (RIGHT + 1, "what is right and 1"),
        (RIGHT / 10, "0.1 times what is right"),
        ((RIGHT - 2) / 3, "what is right, scaled and shifted as a whole"),
        (RIGHT.T, "what is right, transposed"),
        (RIGHT**2, ""),
        (np.zeros_like(RIGHT), ""),
        (RIGHT[1:], ""),
        (np.full_like(RIGHT, np.nan), ""),
        (np.empty((0, 2)), ""),
    ],
)
def test_it_is_reported(yours: np.ndarray, words: str) -> None:
    assert text_of(yours, RIGHT) == words


def test_counts_are_told_by_how_many_too_many() -> None:
    assert text_of(np.array([4, 4, 4]), np.array([3, 3, 3])) == "1 too many each time"
    assert text_of(np.array([1, 2, 3]), np.array([3, 4, 5])) == "what is right and -2"
    assert not text_of(np.array([4, 4, 2]), np.array([3, 3, 3]))


def test_what_is_cut_off_everywhere_is_told() -> None:
    right = np.array([-16.0, 12.0, 40.0])
    assert text_of(right.clip(-10, 10), right) == "what is right, cut off at -10 and 10"


@pytest.mark.parametrize("seed", range(20))
def test_a_message_without_answers_holds_none(seed: int) -> None:
    """However a record is wrong, no right number is in what is said, nor a way to one."""
    rng = np.random.default_rng(seed)
    right = rng.normal(0, 9, 5).astype(np.float32)
    for yours in (right * 3, right + 1.5, right.clip(-2, 2), right[::-1], rng.normal(0, 9, 5)):
        actual = Seen({"case/values": yours.astype(np.float32)})
        found = how_it_differs(actual, Seen({"case/values": right}))
        kept = in_words(found, answers=False)
        assert "expected" in in_words(found)
        numbers = {float(n) for n in re.findall(r"-?\d+\.\d+", kept)}
        assert numbers <= {float(f"{number:.5g}") for number in yours.astype(np.float32)}
        assert "which is wrong" in kept


def test_chance_is_no_relation() -> None:
    rng = np.random.default_rng(5)
    assert not [1 for _ in range(200) if text_of(rng.normal(0, 9, 5), rng.normal(0, 9, 5))]


def test_a_relation_holds_in_each_trial_that_is_wrong() -> None:
    other = 3 * RIGHT + 1
    pairs = [(3 * RIGHT, RIGHT), (3 * other, other)]
    assert relation(pairs) == ("3 times what is right", "what is right times a number")
    assert relation([pairs[0], (other**2, other)]) is None
    text = "what is right times a number"
    assert relation([pairs[0], (2 * other, other)]) == (text, text)


def test_by_chance_it_holds_in_one_trial() -> None:
    """One trial looks as if it were rounded; the other one shows that it is not."""
    right = {"one/values": np.array([0.4, 1.0, 2.2]), "other/values": np.array([3.0, 4.1, 5.5])}
    wrong = {"one/values": np.array([0.0, 1.0, 2.0]), "other/values": np.array([9.0, 8.0, 1.0])}
    alone = text_of(wrong["one/values"], right["one/values"])
    assert alone == "what is right, rounded"
    found = how_it_differs(Seen(wrong), Seen(right))
    assert found.relation is None


def test_few_numbers_refute_no_relation() -> None:
    right = {"usual/values": RIGHT[:, 0], "one row/values": RIGHT[:1, 0]}
    wrong = {"usual/values": RIGHT[::-1, 0], "one row/values": RIGHT[:1, 0] + 1}
    found = how_it_differs(Seen(wrong), Seen(right))
    assert found.relation is not None
    assert found.relation.text == "what is right in the opposite order"

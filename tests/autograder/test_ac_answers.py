"""Actor-critic's answers: no two of the mistakes they know can be taken for each other."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from autograder.hw3 import answer_advantage
from autograder.hw3.value_case import BATCH, value_case
from autograder.judge import ABS, REL, Choice, Factor, choices, mistakes_in
from tests.autograder.identifiability import FEW

MARGIN = 3.0  # times the judge's tolerance


def wrong_parts(choice: Choice, factors: list[Factor]) -> dict[str, str]:
    return {f.name: choice[f.name] for f in factors if f.options[choice[f.name]]}


def the_same_advantage(a: dict[str, str], b: dict[str, str]) -> bool:
    """Tells of two choices that mean the same; the one with fewer mistakes is named."""
    pair = [a, b]
    # Without a future nobody sees how it is masked, whose it is or which sign it has; and
    # without a baseline nobody sees whose value that is.
    if all(c.get("discount") == "0" for c in pair) or all(c.get("baseline") == "0" for c in pair):
        return True
    # A value minus itself is nothing: the reward alone is left.
    itself = [c.get("states") in ("present, present", "next, next") for c in pair]
    bracketed = [c.get("baseline") == "gamma (1-T)" for c in pair]
    alone = [c == {"discount": "0", "baseline": "0"} for c in pair]
    if all((i and b) or a for i, b, a in zip(itself, bracketed, alone, strict=True)):
        return True
    # Where futures count at ends alone, the next row there may be the next state by chance.
    ends = [c for c in pair if c.get("mask") in ("T", "d*1-Tv", "d(1-Tv)")]
    if len(ends) == 2 and a["mask"] == b["mask"]:
        return "next row, present" in {c.get("states") for c in pair}
    # Standardising takes any constant away.
    if all(c.get("form") == "standardized" for c in pair):
        return {c.get("baseline") for c in pair} == {"0", "mean"}
    # Each sign turned is the two others turned and all of it: of two and two, either is named.
    signs = {"reward": "-r", "future_sign": "-", "baseline": "+", "sign": "-"}
    return not a.keys() & b.keys() and a | b == signs


def test_no_two_advantages_are_alike(seeds: list[int]):
    factors = answer_advantage.FACTORS
    all_choices = list(choices(factors, 2))
    ids = [frozenset(mistakes_in(choice, factors)) for choice in all_choices]
    differ = np.triu(np.array([[a != b for b in ids] for a in ids]), 1)
    parts = [wrong_parts(choice, list(factors)) for choice in all_choices]
    for i, j in np.argwhere(differ):
        differ[i, j] = not the_same_advantage(parts[i], parts[j])
    first, second = np.nonzero(differ)
    for seed in seeds:
        case = value_case(seed)
        adv = np.array([answer_advantage.advantage(case, choice) for choice in all_choices])
        left = np.arange(len(first))
        for row in range(BATCH):
            a, b = adv[first[left], row], adv[second[left], row]
            left = left[np.abs(a - b) <= MARGIN * (ABS + REL * np.abs(b))]
        assert not len(left), [(seed, parts[first[i]], parts[second[i]]) for i in left]


@pytest.mark.parametrize("seed", FEW)
def test_no_two_arguments_are_alike(seed: int):
    arrays = [array.reshape(-1) for array in value_case(seed).arrays().values()]
    assert not any(np.array_equal(a, b) for a, b in itertools.combinations(arrays, 2))


def test_errors_stay_where_huber_is_a_parabola(seeds: list[int]):
    for seed in seeds:
        case = value_case(seed)
        target = case.reward + case.gamma * case.table[case.next_state]
        assert np.abs(target - case.table[case.state]).max() < 0.95
        assert np.abs(case.reward - case.table[case.state]).max() < 0.95

"""The batch on which actor-critic is probed: what must be so of whatever is drawn."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from autograder.hw3.value_case import value_case
from tests.autograder.identifiability import FEW


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

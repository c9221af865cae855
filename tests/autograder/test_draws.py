"""Draws: which distribution explains them, as every run finds it."""

from __future__ import annotations

import numpy as np

from autograder import draws

EVEN, SKEWED = np.full((2, 4), 0.25), np.array([[0.7, 0.1, 0.1, 0.1], [0.1, 0.1, 0.1, 0.7]])


def drawn(chances: np.ndarray, times: int, seed: int) -> np.ndarray:
    """Returns how often each thing was drawn."""
    return np.random.default_rng(seed).multinomial(times, chances)


def test_draws_are_explained_by_their_own_distribution() -> None:
    for seed in range(200):
        for chances in (EVEN, SKEWED):
            found = draws.explained(drawn(chances, 400, seed), [EVEN, SKEWED])
            np.testing.assert_array_equal(found, chances)


def test_draws_of_no_known_distribution_remain_shares() -> None:
    counts = drawn(SKEWED, 400, 1)
    np.testing.assert_allclose(draws.explained(counts, [EVEN, SKEWED[::-1]]), counts / 400)


def test_what_cannot_happen_explains_nothing_that_did() -> None:
    never = np.array([[0.0, 0.5, 0.5, 0.0]] * 2)
    counts = np.array([[1, 200, 199, 0], [0, 200, 200, 0]])
    np.testing.assert_allclose(draws.explained(counts, [never]), counts / 400)
    np.testing.assert_array_equal(draws.explained(counts[[1, 1]], [never]), never)

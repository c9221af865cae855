"""What many random draws are taken for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from autograder.running import draws
from autograder.running.draws import share_is, share_near

EVEN, SKEWED = np.full((2, 4), 0.25), np.array([[0.7, 0.1, 0.1, 0.1], [0.1, 0.1, 0.1, 0.7]])


@pytest.mark.parametrize("chance", [0.0, 0.3, 0.9, 1.0])
@pytest.mark.parametrize("visible", [0.8, 1.0])
def test_a_share_that_may_have_its_chance_has_it(chance: float, visible: float) -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        happened = int(rng.binomial(500, chance * visible))
        assert share_near(happened, 500, chance, visible) == chance


@pytest.mark.parametrize("visible", [0.8, 1.0])
def test_other_shares_are_roughly_what_they_are(visible: float) -> None:
    rng = np.random.default_rng(0)
    found = {
        real: {
            share_near(int(rng.binomial(700, real * visible)), 700, 0.3, visible)
            for _ in range(100)
        }
        for real in (0.0, 0.09, 0.6, 1.0)
    }
    assert found == {0.0: {0.0}, 0.09: {0.15}, 0.6: {0.65}, 1.0: {1.0}}


def test_more_than_can_be_seen_of_all_is_all() -> None:
    """Whoever never draws the greedy action at random shows all that is random."""
    assert share_near(700, 700, 0.3, 0.8) == 1.0


def test_a_share_is_judged_by_the_spread_of_its_draws() -> None:
    assert share_is(300 + 65, 1000, 0.3)
    assert not share_is(300 + 120, 1000, 0.3)


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


def test_cards_that_are_not_shuffled_are_found() -> None:
    """Right shuffles pass; rows that stay together, or where they were, do not."""
    rng, sizes = np.random.default_rng(0), (4, 4, 3)
    hand_of_place = np.repeat(np.arange(3), sizes)

    def hands(order: Callable[[], np.ndarray]) -> np.ndarray:
        dealt = np.empty((600, 11), int)
        for each in dealt:
            each[order()] = hand_of_place
        return dealt

    assert all(draws.dealt_by_chance(hands(lambda: rng.permutation(11)), sizes) for _ in range(100))
    begun_elsewhere = hands(lambda: np.roll(np.arange(11), rng.integers(11)))
    last_stays = hands(lambda: np.append(rng.permutation(10), 10))
    assert not draws.dealt_by_chance(begun_elsewhere, sizes)
    assert not draws.dealt_by_chance(last_stays, sizes)


@pytest.mark.parametrize(
    ("again", "same"),
    [
        ([1e-9, 300.0], True),  # rounding alone
        ([0.0, 300.001], True),
        ([0.0, 300.1], False),
        ([2e-6, 300.0], False),
        ([[0.0, 300.0]], False),
    ],
)
def test_answers_that_repeat_but_for_rounding(again: list[float], same: bool) -> None:
    assert draws.repeated(np.array([0.0, 300.0]), np.array(again)) == same

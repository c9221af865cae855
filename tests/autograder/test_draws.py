"""What many random draws are taken for."""

from __future__ import annotations

import numpy as np
import pytest

from autograder.draws import share_is, share_near


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

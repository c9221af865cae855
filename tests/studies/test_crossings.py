"""Curves that cross: from which step on one is ahead, and verdicts that name their measure."""

from __future__ import annotations

import numpy as np
import pytest

from studies import page
from studies.comparison import Comparison
from studies.crossings import Crossing, crossing

STEPS = np.linspace(0.0, 400.0, 41)
EARLY = np.minimum(STEPS, 100.0)
LATE = np.where(STEPS <= 200, 0.0, STEPS - 200)  # passes EARLY at step 300
Runs = list[tuple[np.ndarray, np.ndarray]]


def runs(curve: np.ndarray, seeds: int = 5) -> Runs:
    return [(STEPS, curve + 0.1 * seed) for seed in range(seeds)]


def crossed(one: Runs, other: Runs) -> Crossing | None:
    found = Comparison({"task": {"late": one, "early": other}}).crossings
    assert len(found) <= 1
    return found[0] if found else None


def test_a_winner_at_the_end_that_was_behind_for_three_quarters_of_the_run_is_reported() -> None:
    both = {"late": runs(LATE), "early": runs(EARLY)}
    compared = Comparison({"task": both})
    (pair,) = compared.pairs
    assert (pair.method, pair.verdict) == ("late", "better at the end")
    (found,) = compared.crossings
    assert (found.ahead, found.behind, found.step, found.times) == ("late", "early", "300", 1)
    assert found.shares == pytest.approx((0.25, 0.75))
    sentence = "late is ahead of early from step 300 to the end; earlier it was behind at 75 %"
    assert str(found).startswith(sentence)
    assert [line for line in compared.warnings() if sentence in line], "a verdict that misleads"
    text = page.render(compared, "title", ["run"], ("Step", "Return"), "sha256:0")
    assert f"<li>{sentence}" in text


def test_over_all_evaluations_the_other_one_is_better() -> None:
    both = {"late": runs(LATE), "early": runs(EARLY)}
    compared = Comparison({"task": both}, judge="all")
    (pair,) = compared.pairs
    assert (pair.method, pair.verdict) == ("early", "better over all evaluations")
    assert pair.difference.value == pytest.approx(87.5 - 50)
    text = page.render(compared, "title", ["run"], ("Step", "Return"), "sha256:0")
    assert "Which is better over all evaluations?" in text and "at the end?" not in text


def test_nothing_is_said_where_curves_do_not_cross() -> None:
    assert crossed(runs(LATE), runs(LATE - 50)) is None
    assert crossed(runs(LATE), runs(LATE)) is None
    assert crossed(runs(LATE), runs(np.where(STEPS < 100, LATE, LATE - 1))) is None, "level first"
    assert crossed([(STEPS[:1], LATE[:1])], [(STEPS[:1], EARLY[:1] - 1)]) is None


def test_of_many_crossings_the_last_one_counts() -> None:
    x = np.arange(6.0)
    found = crossing("task", ("a", "b"), x, np.array([1.0, -1, 1, -1, 1, 1]))
    assert found is not None
    assert (found.ahead, found.since, found.times) == ("a", 3.5, 4)
    assert found.shares == pytest.approx((0.6, 0.4))
    assert str(found).endswith(", and they cross 4 times.")


def test_a_curve_may_meet_another_one_and_go_back() -> None:
    x = np.arange(5.0)
    assert crossing("task", ("a", "b"), x, np.array([1.0, 0, 1, 0, 1])) is None
    found = crossing("task", ("a", "b"), x, np.array([-1.0, 0, 0, 1, 1]))
    assert found is not None
    assert found.since == 2.0 and found.shares == pytest.approx((0.5, 0.25))


def test_curves_that_cross_and_end_level() -> None:
    found = crossing("task", ("a", "b"), np.arange(5.0), np.array([1.0, -1, -1, 0, 0]))
    assert found is not None and found.since is None
    assert (found.ahead, found.behind) == ("b", "a")
    assert "b and a end level. b was ahead at 62 % of the steps, a at 12 %" in str(found)


def test_methods_are_compared_at_steps_that_both_have() -> None:
    """One is evaluated at other steps, begins later and ends a little later."""
    x = np.array([40.0, 130.0, 260.0, 410.0])
    found = crossed([(x, np.interp(x, STEPS, LATE))] * 2, runs(EARLY, 2))
    assert found is not None and found.since == pytest.approx(300, rel=0.05)


def test_the_end_is_what_final_scores_say() -> None:
    """The last evaluation of a run that ends a little later counts, as it does for verdicts."""
    later = [(np.array([0.0, 395.0, 410.0]), np.array([50.0, 90.0, 200.0]))]
    compared = Comparison({"task": {"a": later, "b": [(STEPS, EARLY)]}})
    (pair,), (found,) = compared.pairs, compared.crossings
    assert pair.method == found.ahead == "a"


def test_only_compared_methods_are_looked_at_and_the_latest_winner_comes_first() -> None:
    three = {"late": runs(LATE), "early": runs(EARLY), "later": runs(2.2 * LATE - 150)}
    compared = Comparison({"task": three}, against="early")
    assert [found.ahead for found in compared.crossings] == ["later", "late"]

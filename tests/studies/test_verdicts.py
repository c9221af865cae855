"""Verdicts: equal methods are rarely called different, others are found, intervals cover."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from benchmarks.comparisons import (
    BOUNDED,
    DRAWS,
    Draw,
    compared,
    coverage,
    coverage_over_tasks,
    pair,
    share_called_better,
    true_value,
)
from studies import measures, verdicts
from studies.measures import Measure
from tests.running import ALL

NORMAL = DRAWS["normal"]
SIMULATIONS = 300


def most(share: float, simulations: int) -> float:
    """The share that an event of this chance exceeds in 1 of 2,000 series of simulations."""
    return float(stats.binom.ppf(1 - 1 / 2000, simulations, share)) / simulations


@pytest.mark.parametrize("seeds", [1, 2, 3])
def test_so_few_seeds_on_one_task_never_have_a_verdict(seeds: int) -> None:
    assert share_called_better(NORMAL, seeds, 1, 5, shift=100.0) == 0.0


def test_one_seed_on_each_of_many_tasks_never_has_a_verdict() -> None:
    assert share_called_better(NORMAL, 1, 6, 5, shift=100.0) == 0.0


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize(("seeds", "tasks"), [(4, 1), (5, 1), (2, 4), (3, 2)])
@pytest.mark.slow
def test_equal_methods_are_rarely_called_different(name: str, seeds: int, tasks: int) -> None:
    found = share_called_better(DRAWS[name], seeds, tasks, SIMULATIONS)
    assert found <= most(0.05, SIMULATIONS)


@pytest.mark.slow
@pytest.mark.parametrize("name", DRAWS)
def test_equal_methods_are_rarely_called_different_anywhere(name: str) -> None:
    simulations = 1000 if ALL else 100
    for seeds, tasks in itertools.product((2, 3, 4, 5, 7, 10), (1, 2, 4, 6)):
        found = share_called_better(DRAWS[name], seeds, tasks, simulations)
        assert found <= most(0.05, simulations), (seeds, tasks, found)


@pytest.mark.parametrize("spread", [3.0, 10.0])
@pytest.mark.parametrize("seeds", [4, 5, 10])
def test_methods_that_differ_in_spread_alone_are_rarely_called_different(
    seeds: int, spread: float
) -> None:
    """A permutation test alone would call them different in up to one of eight."""
    found = share_called_better(NORMAL, seeds, 1, SIMULATIONS, spread=spread)
    assert found <= most(0.06, SIMULATIONS)


def test_the_second_test_is_needed() -> None:
    rng = np.random.default_rng(0)
    cases = [pair(rng, NORMAL, 4, 1, spread=30.0) for _ in range(300)]
    alone = np.mean([verdicts.permutation(*case) <= verdicts.ALPHA for case in cases])
    both = np.mean([(verdicts.difference(*case).p or 0) <= verdicts.ALPHA for case in cases])
    assert alone > 0.08 > both


@pytest.mark.parametrize(
    ("seeds", "tasks", "shift", "least"),
    [(4, 1, 3.0, 0.75), (5, 1, 3.0, 0.9), (10, 1, 1.5, 0.75), (3, 4, 1.5, 0.8), (5, 4, 1.0, 0.75)],
)
def test_a_difference_is_found(seeds: int, tasks: int, shift: float, least: float) -> None:
    assert share_called_better(NORMAL, seeds, tasks, 200, shift) >= least


@pytest.mark.parametrize("seeds", [3, 5, 10])
@pytest.mark.slow
def test_intervals_of_normal_returns_contain_the_true_value(seeds: int) -> None:
    assert coverage(NORMAL, 0.0, Measure.MEAN, seeds, 2500) >= 0.93


@pytest.mark.parametrize("name", ["normal", "skewed (log-normal)", "failing seeds"])
@pytest.mark.slow
def test_an_interquartile_mean_that_is_shown_has_an_interval_that_covers(name: str) -> None:
    true = true_value(DRAWS[name], Measure.IQM)
    assert coverage(DRAWS[name], true, Measure.IQM, measures.IQM_SEEDS, 500) >= 0.9


def test_an_interquartile_mean_of_too_few_seeds_has_no_interval() -> None:
    runs = np.arange(float(measures.IQM_SEEDS))
    assert measures.interval(Measure.IQM, [runs]) is not None
    assert measures.interval(Measure.IQM, [runs[1:]]) is None
    assert measures.interval(Measure.IQM, [runs, runs[1:]]) is None, "on each task"


@pytest.mark.parametrize(
    ("name", "least"), [(name, 0.85 if "mostly" in name else 0.9) for name in BOUNDED]
)
@pytest.mark.parametrize("seeds", [3, 4, 5, 10])
@pytest.mark.slow
def test_cut_intervals_contain_the_true_value_as_often_as_whole_ones(
    name: str, least: float, seeds: int
) -> None:
    """Returns of at most 0, shares, a ceiling: docs/studies.md has the figures."""
    draw, possible = BOUNDED[name]
    true = true_value(draw, Measure.MEAN)
    found = coverage(draw, true, Measure.MEAN, seeds, 2000, possible)
    assert found == coverage(draw, true, Measure.MEAN, seeds, 2000)
    assert found >= least - 0.02


@pytest.mark.parametrize("name", BOUNDED)
@pytest.mark.parametrize("measure", Measure)
@pytest.mark.parametrize("seeds", [2, 4, 9, measures.MANY])
def test_no_interval_leaves_what_is_possible(name: str, measure: Measure, seeds: int) -> None:
    draw, (low, high) = BOUNDED[name]
    rng = np.random.default_rng(seeds)
    for _ in range(20 if seeds < measures.MANY else 3):
        ours, theirs = [draw(rng, seeds) for _ in range(3)], [draw(rng, seeds) for _ in range(3)]
        ends = measures.interval(measure, ours[:1], (low, high))
        assert ends is None or low <= ends[0] <= ends[1] <= high
        for tasks, most in ((1, high - low), (3, 1.0)):
            possible = {f"task {i}": (low, high) for i in range(tasks)}
            found = compared(ours[:tasks], theirs[:tasks], possible)
            reach = found.pairs[0].difference.ends or (0.0, 0.0)
            assert -most <= reach[0] <= reach[1] <= most
            over = found.over_tasks(measure, "a")
            assert over is not None
            assert over.ends is None or 0 <= over.ends[0] <= over.ends[1] <= 1


@pytest.mark.parametrize("name", ["normal", "skewed (log-normal)", "failing seeds"])
@pytest.mark.slow
def test_intervals_over_tasks_contain_the_true_value(name: str) -> None:
    draw = DRAWS[name]
    worse: Draw = lambda rng, n: draw(rng, n) - 300.0  # noqa: E731
    assert coverage_over_tasks((draw, worse), 3, 2, 200) >= 0.85
    assert coverage_over_tasks((draw, worse), 5, 4, 200) >= 0.9


def test_many_seeds_have_bca_intervals() -> None:
    rng = np.random.default_rng(2)
    runs = rng.lognormal(size=measures.MANY)
    found = measures.interval(Measure.MEAN, [runs])
    whole = stats.bootstrap(
        (runs,), np.mean, n_resamples=4999, method="BCa", rng=np.random.default_rng(0)
    ).confidence_interval
    assert found == pytest.approx(tuple(whole), rel=0.02)
    low, high = found or (0, 0)
    assert high - runs.mean() > 1.2 * (runs.mean() - low), "skewed, as the returns are"
    fewer = runs[: measures.MANY - 1]
    symmetric = measures.interval(Measure.MEAN, [fewer]) or (0, 0)
    assert symmetric[1] - fewer.mean() == pytest.approx(fewer.mean() - symmetric[0])


@pytest.mark.slow
def test_many_seeds_cover_too() -> None:
    assert coverage(NORMAL, 0.0, Measure.MEAN, measures.MANY, 600) >= 0.92
    skewed: Draw = DRAWS["skewed (log-normal)"]
    true = true_value(skewed, Measure.MEAN)
    for seeds, stated in ((3, 0.84), (5, 0.82), (10, 0.84)):  # docs/studies.md has these
        assert coverage(skewed, true, Measure.MEAN, seeds, 4000) == pytest.approx(stated, abs=0.03)


# ------------------------------------------------------------------ against scipy


def test_intervals_of_few_seeds_are_students() -> None:
    runs = np.random.default_rng(0).normal(size=5)
    asked = stats.ttest_1samp(runs, 0).confidence_interval(0.95)
    assert measures.interval(Measure.MEAN, [runs]) == pytest.approx(tuple(asked))
    assert measures.interval(Measure.MEAN, [runs[:1]]) is None


@pytest.mark.parametrize(("n", "m"), [(5, 5), (4, 6), (2, 9)])
def test_on_one_task_both_tests_are_scipys(n: int, m: int) -> None:
    rng = np.random.default_rng([n, m])
    one, other = rng.normal(0.5, 1, n), rng.normal(0, 3, m)

    def studentised(a: np.ndarray, b: np.ndarray, axis: int) -> np.ndarray:
        squares = [x.var(axis, ddof=1) / x.shape[axis] for x in (a, b)]
        found: np.ndarray = (a.mean(axis) - b.mean(axis)) / np.sqrt(squares[0] + squares[1])
        return found

    asked = stats.permutation_test(
        (one, other), studentised, vectorized=True, n_resamples=np.inf
    ).pvalue
    assert verdicts.permutation([one], [other]) == pytest.approx(asked)
    welch = stats.ttest_ind(one, other, equal_var=False)
    found = verdicts.difference([one], [other])
    assert found.p == pytest.approx(max(asked, welch.pvalue))
    assert found.ends == pytest.approx(tuple(welch.confidence_interval(0.95)))


def test_drawn_swaps_come_close_to_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    scores = pair(rng, NORMAL, 5, 2, shift=0.5)
    monkeypatch.setattr(verdicts, "EXACT", 70_000)
    verdicts._swaps.cache_clear()
    exact = verdicts.permutation(*scores)
    monkeypatch.setattr(verdicts, "EXACT", 1)
    verdicts._swaps.cache_clear()
    drawn = verdicts.permutation(*scores)
    verdicts._swaps.cache_clear()
    assert 0.01 < exact < 0.9
    assert drawn == pytest.approx(exact, abs=0.02) and drawn != exact


def test_scales_of_tasks_do_not_matter() -> None:
    rng = np.random.default_rng(6)
    ours, theirs = rng.normal(1, 1, (2, 5)), rng.normal(0, 1, (2, 5))
    plain = verdicts.difference(list(ours), list(theirs))
    scale = np.array([[1.0], [1000.0]])
    scaled = verdicts.difference(list(ours * scale + 7), list(theirs * scale + 7))
    assert scaled.p == pytest.approx(plain.p) and scaled.value == pytest.approx(plain.value)


def test_returns_without_spread() -> None:
    same, other = [np.full(5, 200.0)], [np.full(5, 9.0)]
    assert verdicts.difference(same, same).p == 1.0
    found = verdicts.difference(same, other)
    assert (found.value, found.ends, found.p) == (191.0, (191.0, 191.0), pytest.approx(2 / 252))


# ------------------------------------------------------------------ how many seeds


def test_the_least_p_is_what_complete_separation_gives() -> None:
    for sizes in ([(4, 4)], [(3, 5)], [(2, 2), (2, 3)]):
        high = [np.arange(n) + 100.0 for n, _ in sizes]
        low = [np.arange(m) + 0.0 for _, m in sizes]
        assert verdicts.permutation(high, low) == pytest.approx(verdicts.least_p(sizes))
    assert verdicts.least_p([(3, 3)]) == 0.1
    assert verdicts.least_p([(5, 5), (1, 5)]) == 1.0


@pytest.mark.parametrize(
    ("tasks", "pairs", "seeds"), [(1, 1, 4), (2, 1, 3), (4, 1, 2), (1, 3, 5), (1, 10, 6)]
)
def test_so_many_seeds_are_needed(tasks: int, pairs: int, seeds: int) -> None:
    assert verdicts.seeds_needed(tasks, pairs) == seeds


def test_holms_rule() -> None:
    # By R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm").
    assert verdicts.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert verdicts.holm([]) == []


@pytest.mark.slow
def test_a_page_of_equal_methods_rarely_calls_any_better() -> None:
    from studies.comparison import Comparison

    rng, steps, wrong = np.random.default_rng(0), np.array([0.0, 1.0]), 0
    for _ in range(SIMULATIONS):
        methods = {f"m{i}": [(steps, np.full(2, x)) for x in rng.normal(size=7)] for i in range(4)}
        wrong += any(one.better for one in Comparison({"task": methods}).pairs)
    assert wrong / SIMULATIONS <= most(0.05, SIMULATIONS)

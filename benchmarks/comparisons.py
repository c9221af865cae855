"""Measures how often comparisons are wrong: equal methods called different, intervals that miss.

    python benchmarks/comparisons.py            # about half an hour on one core
    python benchmarks/comparisons.py 200        # the same with fewer simulations

It prints the tables of docs/studies.md. Tests simulate a part of it.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Mapping

import numpy as np

from studies import measures, verdicts
from studies.comparison import Comparison
from studies.measures import ANY, Measure, Range

SIMULATIONS = 2000
SEEDS, TASKS = (1, 2, 3, 4, 5, 7, 10), (1, 2, 4, 6)
FAILURE = 0.3  # the share of runs that never learn, of "failing" returns
Draw = Callable[[np.random.Generator, int], np.ndarray]


def failing(rng: np.random.Generator, seeds: int) -> np.ndarray:
    """Returns scores of which some seeds fail: two humps, as deep RL often has."""
    learned = rng.normal(200, 20, seeds)
    return np.where(rng.random(seeds) < FAILURE, rng.normal(20, 10, seeds), learned)


DRAWS: Mapping[str, Draw] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "skewed (log-normal)": lambda rng, n: rng.lognormal(size=n),
    "heavy-tailed (t, 2)": lambda rng, n: rng.standard_t(2, size=n),
    "failing seeds": failing,
    "ties (0, 1 or 2)": lambda rng, n: rng.integers(0, 3, size=n).astype(float),
}
# Returns that have bounds, and these. Ours on Pendulum are at most 0, and on CartPole at most 500.
BOUNDED: Mapping[str, tuple[Draw, Range]] = {
    "at most 0, skewed": (lambda rng, n: -rng.gamma(2, 75, n), (-np.inf, 0.0)),
    "successes of 20, often all": (lambda rng, n: rng.binomial(20, rng.beta(4, 1, n)) / 20, (0, 1)),
    "shares, near 0 or near 1": (lambda rng, n: rng.beta(0.5, 0.5, n), (0, 1)),
    "at most 500, often 500": (lambda rng, n: np.minimum(500, rng.normal(480, 60, n)), (0, 500)),
    "at most 500, mostly 500": (lambda rng, n: np.minimum(500, rng.normal(540, 80, n)), (0, 500)),
}
# Means are equal and spreads are not: how often the second method's spread is the first one's.
SPREADS, UNEQUAL = (3.0, 10.0), ("normal", "heavy-tailed (t, 2)")


def pair(
    rng: np.random.Generator,
    draw: Draw,
    seeds: int,
    tasks: int,
    shift: float = 0.0,
    spread: float = 1,
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Returns the scores of two methods on some tasks, each of a scale of its own."""
    scales = 10.0 ** rng.uniform(-1, 3, tasks)
    ours = [scale * (draw(rng, seeds) + shift) for scale in scales]
    return ours, [scale * spread * draw(rng, seeds) for scale in scales]


def compared(
    left: list[np.ndarray], right: list[np.ndarray], possible: Mapping[str, Range] | None = None
) -> Comparison:
    """Returns the comparison of two methods, a and b, by their scores."""
    steps = np.array([0.0, 1.0])
    return Comparison(
        {
            f"task {i}": {
                name: [(steps, np.full(2, score)) for score in scores]
                for name, scores in (("a", a), ("b", b))
            }
            for i, (a, b) in enumerate(zip(left, right, strict=True))
        },
        possible=possible,
    )


def share_called_better(
    draw: Draw, seeds: int, tasks: int, simulations: int, shift: float = 0.0, spread: float = 1.0
) -> float:
    """Returns how often one of two methods is called better, whichever it is."""
    rng = np.random.default_rng([seeds, tasks])
    if verdicts.least_p([(seeds, seeds)] * tasks) > verdicts.ALPHA:
        simulations = min(simulations, 20)  # there is never a verdict
    better = [
        compared(*pair(rng, draw, seeds, tasks, shift, spread)).pairs[0].better
        for _ in range(simulations)
    ]
    return float(np.mean(better))


def coverage(  # noqa: PLR0913  (one argument each for what is simulated)
    draw: Draw,
    true: float,
    measure: Measure,
    seeds: int,
    simulations: int,
    possible: Range = ANY,
) -> float:
    """Returns how often the interval of a measure contains what it is for endless seeds.

    Runs that all have one score count for nothing, because no interval is printed for these.
    Returns nan where there are too few seeds for any interval.
    """
    rng = np.random.default_rng(seeds)
    inside = []
    for _ in range(simulations):
        ends = measures.interval(measure, [draw(rng, seeds)], possible)
        if ends is not None and ends[0] < ends[1]:
            inside.append(ends[0] <= true <= ends[1])
    return float(np.mean(inside)) if inside else float("nan")


def coverage_over_tasks(
    draws: tuple[Draw, Draw], seeds: int, tasks: int, simulations: int
) -> float:
    """Returns how often a normalised mean's interval contains the true value.

    That is the mean of very many runs of the first method, on the scale of the runs that there are.
    """
    rng, inside = np.random.default_rng([seeds, tasks]), []
    many = draws[0](np.random.default_rng(0), 20_000)
    for _ in range(simulations):
        runs = [[draw(rng, seeds) for _ in range(tasks)] for draw in draws]
        found = compared(runs[0], runs[1]).over_tasks(Measure.MEAN, "a")
        scales = [np.concatenate(pair) for pair in zip(*runs, strict=True)]
        true = np.mean([np.clip((many - s.min()) / np.ptp(s), 0, 1).mean() for s in scales])
        assert found is not None and found.ends is not None
        inside.append(found.ends[0] <= true <= found.ends[1])
    return float(np.mean(inside))


def true_value(draw: Draw, measure: Measure) -> float:
    """Returns a measure of very many runs."""
    return measure.of([draw(np.random.default_rng(0), 2_000_000)])


def _line(name: str, shares: list[float]) -> None:
    cells = ["\u2013" if np.isnan(share) else f"{100 * share:.1f}" for share in shares]
    print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def main(simulations: int) -> None:
    """Prints the tables."""
    _print_false_verdicts(simulations)
    _print_power(simulations)
    _print_coverage(simulations)


def _print_false_verdicts(simulations: int) -> None:
    print(f"\nEqual methods called different, in % of {simulations}; seeds {SEEDS}")
    for name, draw in DRAWS.items():
        for tasks in TASKS:
            shares = [share_called_better(draw, n, tasks, simulations) for n in SEEDS]
            _line(f"{name}, tasks: {tasks}", shares)
    for name, spread, tasks in itertools.product(UNEQUAL, SPREADS, (1, 4)):
        draw = DRAWS[name]
        shares = [share_called_better(draw, n, tasks, simulations, spread=spread) for n in SEEDS]
        _line(f"{name}, spreads 1 and {spread:g}, tasks: {tasks}", shares)


def _print_power(simulations: int) -> None:
    print(f"\nDifferent methods told apart, in %: normal, so many deviations apart; seeds {SEEDS}")
    for tasks, shift in itertools.product((1, 4), (1.0, 1.5, 2.0, 3.0)):
        draw = DRAWS["normal"]
        shares = [share_called_better(draw, n, tasks, simulations, shift) for n in SEEDS]
        _line(f"{shift:g} deviations, tasks: {tasks}", shares)


def _print_coverage(simulations: int) -> None:
    seeds = (3, 4, 5, 8, 10, 20, 30, 50)
    print(f"\nIntervals that contain the true value, in %; seeds {seeds}")
    unbounded = ("normal", "skewed (log-normal)", "failing seeds")
    draws = {name: (DRAWS[name], ANY) for name in unbounded} | dict(BOUNDED)
    for measure, (name, (draw, possible)) in itertools.product(Measure, draws.items()):
        true = true_value(draw, measure)
        many = max(1, simulations // 4)  # a bootstrap is slow
        quick = measures.MANY if measure is Measure.MEAN else 0
        times = [simulations if n < quick else many for n in seeds]
        shares = [
            coverage(draw, true, measure, n, count, possible)
            for n, count in zip(seeds, times, strict=True)
        ]
        _line(f"{measure.value}, {name}", shares)
    print("\nThe same of a mean over tasks, of two methods of which the first is far ahead")
    for name, tasks in itertools.product(unbounded, (2, 4)):
        draw = DRAWS[name]
        far = (draw, lambda rng, n, draw=draw: draw(rng, n) - 300.0)
        few = [n for n in seeds if n <= 10]
        _line(f"{name}, tasks: {tasks}", [coverage_over_tasks(far, n, tasks, many) for n in few])


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else SIMULATIONS)

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
from studies.measures import Measure

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


def compared(left: list[np.ndarray], right: list[np.ndarray]) -> Comparison:
    """Returns the comparison of two methods, a and b, by their scores."""
    steps = np.array([0.0, 1.0])
    return Comparison(
        {
            f"task {i}": {
                name: [(steps, np.full(2, score)) for score in scores]
                for name, scores in (("a", a), ("b", b))
            }
            for i, (a, b) in enumerate(zip(left, right, strict=True))
        }
    )


def share_called_better(
    draw: Draw, seeds: int, tasks: int, simulations: int, shift: float = 0.0, spread: float = 1.0
) -> float:
    """Returns how often one of two methods is called better, whichever it is."""
    rng = np.random.default_rng([seeds, tasks])
    if verdicts.least_p([(seeds, seeds)] * tasks) > verdicts.ALPHA:
        simulations = min(simulations, 20)  # there is never a verdict
    verdicts_of = [
        compared(*pair(rng, draw, seeds, tasks, shift, spread)).pairs[0].verdict
        for _ in range(simulations)
    ]
    return verdicts_of.count("better") / simulations


def coverage(draw: Draw, true: float, measure: Measure, seeds: int, simulations: int) -> float:
    """Returns how often the interval of a measure contains what it is for endless seeds."""
    rng = np.random.default_rng(seeds)
    found = [measures.interval(measure, [draw(rng, seeds)]) for _ in range(simulations)]
    return float(np.mean([ends is not None and ends[0] <= true <= ends[1] for ends in found]))


def true_value(draw: Draw, measure: Measure) -> float:
    """Returns a measure of very many runs."""
    return measure.of([draw(np.random.default_rng(0), 2_000_000)])


def _line(name: str, shares: list[float]) -> None:
    print(f"| {name} | " + " | ".join(f"{100 * share:.1f}" for share in shares) + " |", flush=True)


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
    seeds = (3, 5, 10, 20, 30, 50)
    print(f"\nIntervals that contain the true value, in %; seeds {seeds}")
    for name, measure in itertools.product(
        ("normal", "skewed (log-normal)", "failing seeds"), Measure
    ):
        draw = DRAWS[name]
        true = true_value(draw, measure)
        many = max(1, simulations // 4)  # BCa is slow
        times = [simulations if n < measures.MANY else many for n in seeds]
        shares = [coverage(draw, true, measure, *each) for each in zip(seeds, times, strict=True)]
        _line(f"{measure.value}, {name}", shares)


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else SIMULATIONS)

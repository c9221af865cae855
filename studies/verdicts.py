"""Whether one method is better than another: tests for few seeds, and how many seeds they need.

A verdict needs two tests that agree, so the p-value is the larger of theirs:

- A permutation test, stratified by task: it swaps the methods' names among the runs of each task.
  It is exact for two equal methods, whatever their distribution (Fisher; Chung and Romano, 2013).
- Welch's t test. The permutation test alone calls methods different if only their spread is: with
  four seeds each, in up to one of eight comparisons.

The statistic of both is the difference of means by its standard error. Scores of a task are first
divided by the range of all its runs. A swap of names leaves the range as it is.

scipy.stats.permutation_test has no strata, so the swaps over several tasks are ours.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from studies import measures
from studies.measures import Estimate, Scores

ALPHA = 0.05  # two-sided, for all pairs of a comparison together
EXACT = 20_000  # swaps up to which all are tried
DRAWS = 9_999  # swaps that are drawn otherwise
MOST_SEEDS = 100  # that are proposed
TINY = 1e-9  # differences of this relative size are rounding


@dataclass(frozen=True)
class Difference(Estimate):
    """How far one method's mean is above another's.

    It is in the scores' own unit on one task; over several, the mean over tasks, each as a share
    of the range of its runs.

    Attributes:
        p: The larger p-value of two tests, two-sided; None where a task has one seed.
    """

    p: float | None = None


def difference(scores: Scores, others: Scores) -> Difference:
    """Compares the means of two methods; one array a task for each."""
    ranges = [np.ptp(np.concatenate(pair)) or 1.0 for pair in zip(scores, others, strict=True)]
    unit = ranges[0] if len(ranges) == 1 else 1.0
    shares = [(a - b.mean()) / r for a, b, r in zip(scores, others, ranges, strict=True)]
    value = float(np.mean([share.mean() for share in shares]))
    if min(map(len, [*scores, *others])) < 2:
        return Difference(value * unit)
    groups = [one / r for many in (scores, others) for one, r in zip(many, ranges, strict=True)]
    variances = np.array([one.var(ddof=1) / len(one) for one in groups]) / len(ranges) ** 2
    variances[variances < TINY**2] = 0.0
    freedom = np.array([len(one) - 1 for one in groups])
    half = measures.half_width(variances, freedom) * unit
    p = max(_welch(value, variances, freedom), permutation(scores, others))
    return Difference(value * unit, (value * unit - half, value * unit + half), p=p)


def _welch(value: float, variances: np.ndarray, freedom: np.ndarray) -> float:
    if not variances.any():
        return 1.0 if abs(value) < TINY else 0.0
    joined = measures.satterthwaite(variances, freedom)
    return float(2 * stats.t.sf(abs(value) / np.sqrt(variances.sum()), joined))


def permutation(scores: Scores, others: Scores) -> float:
    """Returns the p-value of the stratified permutation test: twice that of the smaller side.

    It is exact where all swaps can be tried, else of `DRAWS` random ones and the one that was seen.
    """
    sizes = [(len(a), len(b)) for a, b in zip(scores, others, strict=True)]
    means: list[np.ndarray] = []  # of each task, for each swap: the difference, and its variance
    variances: list[np.ndarray] = []
    for (n, m), chosen, a, b in zip(sizes, _swaps(tuple(sizes)), scores, others, strict=True):
        runs = np.concatenate([a, b])
        runs = (runs - runs.mean()) / (np.ptp(runs) or 1.0)
        first, squares = chosen @ runs, chosen @ runs**2
        left, right = first / n, (runs.sum() - first) / m
        means.append(left - right)
        spread = (squares - n * left**2) / (n * (n - 1))
        spread += ((runs**2).sum() - squares - m * right**2) / (m * (m - 1))
        variances.append(np.maximum(spread, 0.0))
    mean, variance = np.sum(means, axis=0), np.sum(variances, axis=0)
    variance = np.maximum(variance, TINY**2)  # none at all: the difference decides
    found = mean / np.sqrt(variance)
    slack = TINY * abs(found[0])
    sides = np.mean(found >= found[0] - slack), np.mean(found <= found[0] + slack)
    return float(min(1.0, 2 * min(sides)))


@functools.lru_cache(maxsize=64)
def _swaps(sizes: tuple[tuple[int, int], ...]) -> list[np.ndarray]:
    """Returns for each task which runs the first method gets, in each swap of names.

    Row 0 is how the runs really lie: the first n. Shape (swaps, n + m), 0 or 1, each.
    """
    rng = np.random.default_rng(0)
    counts = [math.comb(n + m, n) for n, m in sizes]
    if math.prod(counts) <= EXACT:
        every = [_every_swap(n, m) for n, m in sizes]
        index = np.indices(counts).reshape(len(counts), -1)
        return [one[rows] for one, rows in zip(every, index, strict=True)]
    drawn = []
    for n, m in sizes:
        first = np.arange(n + m) < n
        many = np.tile(first, (DRAWS + 1, 1))
        many[1:] = rng.permuted(many[1:], axis=1)
        drawn.append(many.astype(float))
    return drawn


def _every_swap(n: int, m: int) -> np.ndarray:
    chosen = np.array(list(itertools.combinations(range(n + m), n)))
    found = np.zeros((len(chosen), n + m))
    np.put_along_axis(found, chosen, 1.0, axis=1)
    return found


def least_p(sizes: Sequence[tuple[int, int]]) -> float:
    """Returns the least p-value that so many seeds can reach, whatever the scores are.

    Args:
        sizes: The seeds of both methods on each task; 1.0 is returned where one has a single one.

    With 3 and 3 seeds on one task it is 0.1: of 20 ways to give names to six runs, two are as
    extreme as can be.
    """
    if any(min(pair) < 2 for pair in sizes):
        return 1.0
    return min(1.0, 2 / math.prod(math.comb(n + m, n) for n, m in sizes))


def seeds_needed(tasks: int, pairs: int) -> int:
    """Returns the seeds of each method on each task with which a verdict can be reached.

    Args:
        tasks: That both methods have.
        pairs: That are compared; Holm's rule asks each for that much more.
    """
    least = (least_p([(seeds, seeds)] * tasks) for seeds in range(2, MOST_SEEDS))
    return next((n for n, p in enumerate(least, 2) if p * max(1, pairs) <= ALPHA), MOST_SEEDS)


def holm(p_values: Sequence[float]) -> list[float]:
    """Returns p-values adjusted for how many they are, by Holm's step-down rule (1979).

    The smallest counts as many times as there are values, the next one time less, and so on; none
    is below the one before it. Whatever the values have to do with each other, the chance of any
    false verdict among them stays below the level.
    """
    found, largest = [0.0] * len(p_values), 0.0
    for place, i in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - place) * p_values[i]))
        found[i] = largest
    return found

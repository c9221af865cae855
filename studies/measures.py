"""Measures over seeds, and their 95 % intervals, none of which leaves what is possible.

A mean has Student's t interval with few seeds, and a bootstrap's (BCa) with many. It is cut where
no value can be. The true mean is never out there, so the cut interval contains it as often.

An interquartile mean has a percentile bootstrap's interval, and only from `IQM_SEEDS` seeds on.
With fewer, neither that nor Tukey and McLaughlin's t interval contains the true value often enough:
with three of ten seeds that fail, in 80 to 89 of 100 comparisons. The latter gets worse with more
such seeds, and with four seeds it is 2.7 times as wide as the mean's.

The interquartile mean and the probability of improvement are those of Agarwal et al. (2021),
"Deep Reinforcement Learning at the Edge of the Statistical Precipice", section 4. Tests compare
them with the numbers of the authors' library, which does not import beside pandas 3.

A percentile bootstrap of the mean is for many runs. With 3, 5 and 10 seeds it covers the true mean
of normal returns in 75, 84 and 91 of 100 comparisons, and not in 95. benchmarks/comparisons.py
measures the intervals here.

Scores are a list of arrays, one a task, of shape (seeds,). Seeds are independent samples of
their task. The tasks themselves are no sample: nothing is said about other ones.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

Scores = Sequence[np.ndarray]
Range = tuple[float, float]
"""The lowest and the highest value that is possible, infinite where nothing is known."""

LEVEL = 0.95
ANY: Range = (-math.inf, math.inf)
MANY = 30  # seeds on each task from which BCa covers as often as it says
IQM_SEEDS = 8  # seeds on each task from which an interquartile mean's interval covers about 95 %


@dataclass(frozen=True)
class Estimate:
    """A number, and the ends of its 95 % interval, where seeds suffice for one.

    Attributes:
        value: The number; nan where there are too few seeds even for that.
        ends: Of the interval; None where a task has one seed.
        needs: The seeds on each task that a value would need; 0 if there is one.
    """

    value: float
    ends: Range | None = None
    needs: int = 0

    def __str__(self) -> str:
        """Writes it with as many digits as the interval's width is worth."""
        if self.needs:
            return f"{self.needs} seeds needed"
        if self.ends is None or self.ends[0] == self.ends[1]:
            return f"{self.value:,.1f}"
        width = self.ends[1] - self.ends[0]
        digits = int(np.clip(1 - np.floor(np.log10(width)), 0, 2))
        rounded = [round(x, digits) + 0.0 for x in (self.value, *self.ends)]  # no -0
        value, low, high = (f"{x:,.{digits}f}" for x in rounded)
        return f"{value} [{low}, {high}]"


class Measure(enum.Enum):
    """A summary of all runs."""

    MEAN = "mean"
    IQM = "interquartile mean"

    @property
    def cut(self) -> float:
        """The share of the runs that is left out at each end."""
        return 0.25 if self is Measure.IQM else 0.0

    def of(self, scores: Scores) -> float:
        """Returns the measure of all runs together."""
        return float(stats.trim_mean(np.concatenate(scores), self.cut))


def probability_of_improvement(scores: Scores, others: Scores) -> float:
    """Returns the chance that a run of one scores above one of the other, averaged over tasks.

    A draw counts half: on each task it is the Mann-Whitney statistic by the number of pairs.
    """
    wins = []
    for ours, theirs in zip(scores, others, strict=True):
        one, other = ours[:, None], theirs[None, :]
        wins.append(((one > other) + 0.5 * (one == other)).mean())
    return float(np.mean(wins))


def interval(measure: Measure, scores: Scores, possible: Range = ANY) -> Range | None:
    """Returns the ends of a measure's 95 % interval, within what is possible.

    Args:
        measure: What is estimated.
        scores: Of the runs, one array a task, shape (seeds,) each.
        possible: Values that the measure can have.

    Returns:
        None where a task has too few seeds: one, or of an interquartile mean below `IQM_SEEDS`.
    """
    fewest = min(map(len, scores))
    if fewest < (IQM_SEEDS if measure is Measure.IQM else 2):
        return None
    varies = all(np.ptp(one) > 0 for one in scores)  # BCa is not defined without
    if measure is Measure.IQM:
        ends = _bootstrap_interval(measure, scores, "percentile")
    elif fewest >= MANY and varies:
        ends = _bootstrap_interval(measure, scores, "BCa")
    else:
        ends = _t_interval(scores)
    return within(ends, possible)


def within(ends: Range, possible: Range) -> Range:
    """Returns an interval, cut where nothing is possible."""
    low, high = np.clip(ends, *possible)
    return float(low), float(high)


def _t_interval(scores: Scores) -> Range:
    """Returns Student's interval of the mean of all runs; tasks are joined as Welch's are."""
    runs = np.concatenate(scores)
    variances = np.array([len(one) * one.var(ddof=1) for one in scores]) / len(runs) ** 2
    half = half_width(variances, np.array([len(one) - 1 for one in scores]))
    return float(runs.mean() - half), float(runs.mean() + half)


def half_width(variances: np.ndarray, freedom: np.ndarray) -> float:
    """Returns half the width of the t interval of a sum of independent means.

    Args:
        variances: Of the means, estimated; shape (n,).
        freedom: Degrees of freedom of each estimate, shape (n,).
    """
    joined = satterthwaite(variances, freedom)
    return float(stats.t.ppf((1 + LEVEL) / 2, joined) * np.sqrt(variances.sum()))


def satterthwaite(variances: np.ndarray, freedom: np.ndarray) -> float:
    """Returns the degrees of freedom of a sum of estimated variances."""
    if not variances.any():
        return float(freedom.sum())
    share = variances / variances.sum()
    return float(1 / (share**2 / freedom).sum())


def _bootstrap_interval(measure: Measure, scores: Scores, method: str) -> Range:
    """Returns the interval of a bootstrap within each task, by a method of scipy."""

    def of_draws(*drawn: np.ndarray, axis: int = -1) -> np.ndarray:
        together = np.concatenate(drawn, axis=axis)
        found: np.ndarray = stats.trim_mean(together, measure.cut, axis=axis)
        return found

    found = stats.bootstrap(
        tuple(scores),
        of_draws,
        n_resamples=4999,
        confidence_level=LEVEL,
        method=method,
        vectorized=True,
        rng=np.random.default_rng(0),
    )
    return float(found.confidence_interval.low), float(found.confidence_interval.high)

"""Measures over seeds, and their 95 % intervals: Student's t for few seeds, BCa for many.

The interquartile mean and the probability of improvement are those of Agarwal et al. (2021),
"Deep Reinforcement Learning at the Edge of the Statistical Precipice", section 4. Tests compare
them with the numbers of the authors' library, which does not import beside pandas 3.

Their percentile bootstrap is for many runs. With 3, 5 and 10 seeds it covers the true mean of
normal returns in 75, 84 and 91 of 100 comparisons, and not in 95. benchmarks/comparisons.py
measures the intervals here.

Scores are a list of arrays, one a task, of shape (seeds,). Seeds are independent samples of
their task. The tasks themselves are no sample: nothing is said about other ones.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence

import numpy as np
from scipy import stats

Scores = Sequence[np.ndarray]

LEVEL = 0.95
MANY = 30  # seeds on each task from which BCa covers as often as it says


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


def interval(measure: Measure, scores: Scores) -> tuple[float, float] | None:
    """Returns the ends of a measure's 95 % interval; None where a task has one seed."""
    fewest = min(map(len, scores))
    if fewest < 2:
        return None
    varies = all(np.ptp(one) > 0 for one in scores)  # BCa is not defined without
    if fewest >= MANY and varies:
        return _bca_interval(measure, scores)
    return _t_interval(measure, scores)


def _t_interval(measure: Measure, scores: Scores) -> tuple[float, float] | None:
    """Returns Student's interval, and Tukey and McLaughlin's where runs are left out.

    Runs that are left out count as the nearest that is not, for the variance, and not at all for
    the degrees of freedom. Those of several tasks are joined as Welch and Satterthwaite did.
    """
    runs = np.sort(np.concatenate(scores))
    cut = int(measure.cut * len(runs))
    low, high = runs[cut], runs[len(runs) - 1 - cut]
    weight = 1 / (len(runs) - 2 * cut)
    variances, freedom = [], []
    for one in scores:
        inside = np.clip(one, low, high)
        variances.append(weight**2 * len(one) * inside.var(ddof=1))
        left_out = round(2 * cut * len(one) / len(runs))
        freedom.append(max(1, len(one) - 1 - left_out))
    value = measure.of(scores)
    half = half_width(np.array(variances), np.array(freedom))
    return value - half, value + half


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


def _bca_interval(measure: Measure, scores: Scores) -> tuple[float, float]:
    """Returns the interval of a bootstrap within each task, corrected for bias and skew."""

    def of_draws(*drawn: np.ndarray, axis: int = -1) -> np.ndarray:
        together = np.concatenate(drawn, axis=axis)
        found: np.ndarray = stats.trim_mean(together, measure.cut, axis=axis)
        return found

    found = stats.bootstrap(
        tuple(scores),
        of_draws,
        n_resamples=4999,
        confidence_level=LEVEL,
        method="BCa",
        vectorized=True,
        rng=np.random.default_rng(0),
    )
    return float(found.confidence_interval.low), float(found.confidence_interval.high)

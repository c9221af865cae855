"""Measures over few seeds: interquartile mean, probability of improvement, and their intervals.

From Agarwal et al. (2021), "Deep Reinforcement Learning at the Edge of the Statistical Precipice",
section 4. Their library, rliable, does not import beside pandas 3; tests hold these to its numbers.

Scores are a list of arrays, one a task, of shape (..., seeds): tasks may have different numbers of
seeds. Intervals are percentiles of a bootstrap that draws seeds anew within each task.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

Scores = Sequence[np.ndarray]
Measure = Callable[[Scores], np.ndarray]

DRAWS = 2000
LEVEL = 0.95
ENOUGH = 0.05  # a two-sided level that some outcome must be able to reach


def iqm(scores: Scores) -> np.ndarray:
    """Returns the interquartile mean of all runs: without the lowest and the highest quarter."""
    flat = np.sort(np.concatenate(scores, axis=-1), axis=-1)
    cut = flat.shape[-1] // 4
    middle: np.ndarray = flat[..., cut : flat.shape[-1] - cut].mean(axis=-1)
    return middle


def mean(scores: Scores) -> np.ndarray:
    """Returns the mean of all runs."""
    found: np.ndarray = np.concatenate(scores, axis=-1).mean(axis=-1)
    return found


def probability_of_improvement(scores: Scores, others: Scores) -> np.ndarray:
    """Returns the chance that a run of one scores above one of the other, averaged over tasks.

    A draw counts half: on each task it is the Mann-Whitney statistic by the number of pairs.
    """
    wins = []
    for ours, theirs in zip(scores, others, strict=True):
        one, other = ours[..., :, None], theirs[..., None, :]
        wins.append(((one > other) + 0.5 * (one == other)).mean(axis=(-2, -1)))
    chance: np.ndarray = np.mean(wins, axis=0)
    return chance


def resampled(scores: Scores, rng: np.random.Generator, draws: int = DRAWS) -> Scores:
    """Draws seeds with replacement, for each task apart: arrays of shape (draws, seeds)."""
    return [one[rng.integers(len(one), size=(draws, len(one)))] for one in scores]


def interval(
    measure: Measure, scores: Scores, rng: np.random.Generator, draws: int = DRAWS
) -> tuple[float, float, float]:
    """Returns a measure, and the ends of its 95 % bootstrap interval."""
    low, high = _ends(measure(resampled(scores, rng, draws)))
    return float(measure(scores)), low, high


def improvement(
    scores: Scores, others: Scores, rng: np.random.Generator, draws: int = DRAWS
) -> tuple[float, float, float]:
    """Returns the probability of improvement, and the ends of its 95 % bootstrap interval."""
    found = probability_of_improvement(resampled(scores, rng, draws), resampled(others, rng, draws))
    low, high = _ends(found)
    return float(probability_of_improvement(scores, others)), low, high


def _ends(values: np.ndarray) -> tuple[float, float]:
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(values, [tail, 100 - tail])
    return float(low), float(high)


def band(curves: np.ndarray, rng: np.random.Generator, draws: int = DRAWS) -> np.ndarray:
    """Returns the 95 % bootstrap interval of the mean at each step.

    Args:
        curves: Shape (seeds, steps).
        rng: Draws the seeds.
        draws: How often.

    Returns:
        Lower and upper ends, shape (2, steps).
    """
    chosen = rng.integers(len(curves), size=(draws, len(curves)))
    means = np.stack([curves[seeds].mean(axis=0) for seeds in chosen])
    tail = 100 * (1 - LEVEL) / 2
    ends: np.ndarray = np.percentile(means, [tail, 100 - tail], axis=0)
    return ends


def can_tell(seeds: int, others: int) -> bool:
    """Tells whether so many seeds can differ significantly at all, on one task.

    If all runs of one are above all of the other, a permutation test has p = 2 / (n + m over n):
    with 3 and 3 seeds that is 0.1, whatever the scores are.
    """
    return 2 / math.comb(seeds + others, seeds) <= ENOUGH

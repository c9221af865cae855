"""Whether random draws come from the distribution they should come from.

One draw is nobody's to judge, and neither is the call that made it. So a probe draws many times and
records whether these agree with a distribution: yes or no, which is the same for every right form.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import torch

SIGMAS = 6.5  # a right form falls outside once in 10^10 runs
UNLIKELY = 36.0  # minus log-likelihood ratio; twice it is chi-square: 1e-12 with 8 degrees


def seed_generators(seed: int) -> None:
    """Seeds whatever a student may draw from."""
    for generator in (random.seed, np.random.seed, torch.manual_seed):
        generator(seed)


def repeated(first: np.ndarray, again: np.ndarray) -> bool:
    """Returns whether two answers to one question are the same but for rounding.

    A sum is rounded in another order where its array begins at another place in memory.
    """
    if first.shape != again.shape:
        return False
    return bool(np.allclose(first, again, rtol=1e-4, atol=1e-6, equal_nan=True))


def share_is(happened: int, times: int, chance: float) -> bool:
    """Returns whether something that happened so often may have this chance each time."""
    spread = np.sqrt(times * chance * (1 - chance))
    return bool(abs(happened - times * chance) <= SIGMAS * spread)


def explained(counts: np.ndarray, chances: Sequence[np.ndarray]) -> np.ndarray:
    """Returns the chances by which something was drawn, or its shares if these are none of them.

    Arrays have a row for each situation, and a column for each thing that may be drawn.
    """
    shares: np.ndarray = counts / counts.sum(1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = counts * np.log(shares / np.array(chances))
    surprise = np.where(counts > 0, ratios, 0.0).sum((1, 2))
    least = int(np.argmin(surprise))
    return chances[least] if surprise[least] < UNLIKELY else shares


def share_near(happened: int, times: int, chance: float, visible: float = 1.0) -> float:
    """Returns a chance, if something that happened so often may have it; else roughly another one.

    That is 0 where it was never seen, 1 where it may be certain, and else halfway from `chance` to
    the one or the other. `visible`: how likely it is seen when it happens.
    """
    if share_is(happened, times, chance * visible):
        return chance
    if happened == 0:
        return 0.0
    if happened > times * visible or share_is(happened, times, visible):
        return 1.0
    return (chance + (happened > times * chance * visible)) / 2


def mean_is(draws: np.ndarray, mean: np.ndarray | float, spread: np.ndarray | float) -> bool:
    """Returns whether independent draws, along the first axis, may have this mean.

    They have this standard deviation; the one that is seen counts where it is larger.
    """
    wide = np.maximum(draws.std(0), spread) + 1e-12
    return bool(np.all(np.abs(draws.mean(0) - mean) * np.sqrt(len(draws)) <= SIGMAS * wide))


def spread_is(draws: np.ndarray, spread: np.ndarray | float) -> bool:
    """Returns whether draws, along the first axis, may have this standard deviation.

    The logarithm of a standard deviation of n draws has one of about 1 / sqrt(n) at most, for tails
    no heavier than the Laplace distribution's.
    """
    record = np.log((draws.std(0) + 1e-12) / spread)
    return bool(np.all(np.abs(record) <= SIGMAS / np.sqrt(len(draws))))


def coarsely(values: np.ndarray, step: float) -> np.ndarray:
    """Returns values in whole steps: what chance does to them is mostly too small to show."""
    rounded: np.ndarray = np.round(np.asarray(values) / step) * step
    return rounded


def spread_ratio(draws: np.ndarray, spread: float) -> np.ndarray:
    """Returns how many times too wide draws are, along the first axis; in steps of a fifth."""
    ratio: np.ndarray = np.exp2(coarsely(np.log2((draws.std(0) + 1e-9) / spread), 0.25))
    return ratio


def moves_together(draws: np.ndarray) -> bool:
    """Returns whether two of several things drawn at a time move together. Shape (n, things)."""
    constant = draws.std(0) < 1e-9
    together = np.corrcoef(draws[:, ~constant].T) - np.eye(int((~constant).sum()))
    return bool(together.size > 1 and np.abs(together).max() > SIGMAS / np.sqrt(len(draws)))


def dealt_by_chance(hand: np.ndarray, sizes: Sequence[int]) -> bool:
    """Returns whether cards may have been shuffled each time before they were dealt out.

    Each card must come into each hand of these sizes, and each pair into one hand, as often as
    chance brings it. `hand` has the hand that each card came into. Shape (times, cards).
    """
    times, cards = hand.shape
    alone = all(
        share_is(int((hand[:, card] == number).sum()), times, size / cards)
        for card in range(cards)
        for number, size in enumerate(sizes)
    )
    chance = sum(size * (size - 1) for size in sizes) / (cards * (cards - 1))
    first, second = np.triu_indices(cards, 1)
    together = (hand[:, first] == hand[:, second]).sum(0)
    return alone and all(share_is(int(number), times, chance) for number in together)

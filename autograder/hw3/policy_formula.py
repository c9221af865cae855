"""A policy's log-probabilities as a formula with switches, in NumPy."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np

from autograder.hw3.policy_case import PolicyCase, forward_case, point_weights, points
from autograder.hw3.policy_gradient_formula import softmax
from autograder.judge import Choice, Factor, Outcome, every
from autograder.recording import secret

TINY = 1.2e-7  # torch keeps probabilities at least this far from 0 and from 1

LOGITS = Factor(
    "logits",
    {
        "logits": None,
        "as probabilities": "forward.logits_as_probs",
        "log_softmax as probabilities": "forward.logits_as_probs",
        "softmax twice": "forward.softmax_twice",
        "sigmoid": "forward.sigmoid",
        "softmax over rows": "forward.wrong_axis",
        "log_softmax over rows": "forward.wrong_axis",
        "tanh": "forward.squashed",
        "relu": "forward.squashed",
        "minus": "forward.logits_negated",
    },
)
SWAPPED = "forward.mean_and_spread_swapped"
MEAN = Factor(
    "mean",
    {
        "mean": None,
        "tanh": "forward.squashed",
        "sigmoid": "forward.squashed",
        "relu": "forward.squashed",
        "clip": "forward.squashed",
        "0": "forward.mean_missing",
        "logstd": SWAPPED,
        "exp(logstd)": SWAPPED,
    },
)
SPREAD = Factor(
    "spread",
    {
        "exp(logstd)": None,
        "logstd": "forward.logstd_as_spread",
        "sqrt(logstd)": "forward.logstd_as_spread",
        "|logstd|": "forward.logstd_as_spread",
        "exp(2 logstd)": "forward.variance_as_spread",
        "exp(logstd/2)": "forward.spread_as_variance",
        "exp(-logstd)": "forward.spread_inverted",
        "exp(-logstd/2)": "forward.spread_inverted",
        "1": "forward.spread_fixed",
        "softplus": "forward.softplus",
        "one for all": "forward.spread_shared",
        "first for all": "forward.spread_shared",
        "exp(exp)": "forward.exp_twice",
        "mean": SWAPPED,
        "exp(mean)": SWAPPED,
    },
)


def factors(discrete: bool) -> tuple[Factor, ...]:
    """Returns what may go wrong in a distribution."""
    return (LOGITS,) if discrete else (MEAN, SPREAD)


def chosen_log_prob(logits: np.ndarray, how: str) -> np.ndarray:
    """Returns log-probabilities from logits, shape (n, A) both; nan where there are none."""
    z = logits.astype(np.float64)
    down = np.exp(z - z.max(0)) / np.exp(z - z.max(0)).sum(0)
    chances = {
        "as probabilities": z,
        "log_softmax as probabilities": np.log(softmax(z)),
        "sigmoid": 1 / (1 + np.exp(-z)),
    }
    if how in chances:
        p = chances[how] / chances[how].sum(1, keepdims=True)
        return np.log(np.where((p < 0).any(), np.nan, np.clip(p, TINY, 1 - TINY)))
    taken = {
        "logits": z,
        "softmax twice": softmax(z),
        "softmax over rows": np.log(down),
        "log_softmax over rows": np.log(down),
        "tanh": np.tanh(z),
        "relu": np.maximum(z, 0),
        "minus": -z,
    }[how]
    return np.asarray(np.log(softmax(taken)))


def mean_and_spread(case: PolicyCase, choice: Choice) -> tuple[np.ndarray, np.ndarray]:
    """Returns mean and spread of each row, shape (n, d); nan where there is no such spread."""
    mean, logstd = case.mean[:, case.state].T.astype(np.float64), case.logstd.astype(np.float64)
    with np.errstate(invalid="ignore"):
        spread = {
            "exp(logstd)": np.exp(logstd),
            "logstd": logstd,
            "sqrt(logstd)": np.sqrt(logstd),
            "|logstd|": np.abs(logstd),
            "exp(2 logstd)": np.exp(2 * logstd),
            "exp(logstd/2)": np.exp(logstd / 2),
            "exp(-logstd)": np.exp(-logstd),
            "exp(-logstd/2)": np.exp(-logstd / 2),
            "1": np.ones_like(logstd),
            "softplus": np.log1p(np.exp(logstd)),
            "one for all": np.full_like(logstd, np.exp(logstd.mean())),
            "first for all": np.full_like(logstd, np.exp(logstd[0])),
            "exp(exp)": np.exp(np.exp(logstd)),
            "mean": mean,
            "exp(mean)": np.exp(mean),
        }[choice["spread"]]
    middle = {
        "mean": mean,
        "tanh": np.tanh(mean),
        "sigmoid": 1 / (1 + np.exp(-mean)),
        "relu": np.maximum(mean, 0),
        "clip": np.clip(mean, -1, 1),
        "0": 0 * mean,
        "logstd": mean * 0 + logstd,
        "exp(logstd)": mean * 0 + np.exp(logstd),
    }[choice["mean"]]
    return middle, np.where((spread > 0).all(), spread, np.nan) + 0 * mean


def _asked(seed: int) -> Iterable[tuple[Any, ...]]:
    """Yields what `log_prob_of` will be asked."""
    for wide, discrete in itertools.product((True, False), repeat=2):
        case = forward_case(seed, wide)
        yield from ((case, seed, discrete, choice) for choice in every(*factors(discrete)))


@secret(_asked)
def log_prob_of(case: PolicyCase, seed: int, discrete: bool, choice: Choice) -> np.ndarray:
    """Predicts log-probabilities of `points`: shape (ACTIONS, n) or (POINTS, n, COMPONENTS)."""
    if discrete:
        return np.asarray(chosen_log_prob(case.logits[:, case.state].T, choice["logits"]).T)
    mean, spread = mean_and_spread(case, choice)
    z = (points(seed, discrete) - mean) / spread
    return np.asarray(-(z**2 / 2 + np.log(spread) + np.log(2 * np.pi) / 2))


def predict_forward(seed: int, discrete: bool, choice: Choice) -> Outcome:
    """Predicts what two distributions think of known actions."""
    return {
        name: log_prob_of(forward_case(seed, wide), seed, discrete, choice)
        for name, wide in (("wide", True), ("narrow", False))
    }


@secret(lambda seed: ((forward_case(seed, True), seed, discrete) for discrete in (True, False)))
def right_gradients(case: PolicyCase, seed: int, discrete: bool) -> tuple[np.ndarray, np.ndarray]:
    """Returns the gradients of the weighted sum of log-probabilities: of the table, of logstd."""
    weight = point_weights(seed, discrete).astype(np.float64)
    table = np.zeros_like(case.table(discrete), dtype=np.float64)
    if discrete:
        p = softmax(case.logits[:, case.state].T.astype(np.float64))
        table[:, case.state] = weight - weight.sum(0) * p.T
        return table, np.zeros(0)
    mean = case.mean[:, case.state].T.astype(np.float64)
    z = (points(seed, discrete) - mean) / case.spread
    table[:, case.state] = (weight[..., None] * z / case.spread).sum(0).T
    return table, (weight[..., None] * (z**2 - 1)).sum((0, 1))


def uses(choice: Choice) -> tuple[bool, bool]:
    """Tells whether a formula has the network in it, and whether it has logstd."""
    if "logits" in choice:
        return True, False
    mean, spread = choice["mean"], choice["spread"]
    of_network = mean in ("mean", "tanh", "sigmoid", "relu", "clip") or "mean" in spread
    return of_network, "logstd" in mean or spread not in ("1", "mean", "exp(mean)")

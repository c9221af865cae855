"""The direction of a policy gradient step as a formula with switches, in NumPy."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from autograder.hw3.policy_case import (
    ACTIONS,
    BATCH,
    PolicyCase,
    other_advantage,
    update_case,
)
from autograder.judge import (
    Choice,
    Factor,
    Outcome,
    choices,
    mistakes_in,
    right_choice,
    same_direction,
)
from autograder.recording import secret

# Of float32's arithmetic a millionth is left; a right form may add 1e-6 to a probability.
SAME, MIXED = 5e-4, 2e-4

# change = sign * sum over rows of weight * d density(action | state), and perhaps entropy
WEIGHT = Factor(
    "weight",
    {
        "A": None,
        "1": "pg_update.advantage_ignored",
        "mean A": "pg_update.every_advantage",
        "|A|": "pg_update.advantage_without_sign",
        "A - mean": "pg_update.standardized_again",
        "sign A": "pg_update.only_the_sign",
        "A^2": "pg_update.advantage_squared",
        "exp A": "pg_update.advantage_exponentiated",
        "max(A, 0)": "pg_update.bad_actions_ignored",
        "clip(A)": "pg_update.advantage_clipped",
        "A / sum": "pg_update.divided_by_sum",
        "A of next": "pg_update.rows_misaligned",
        "A of last": "pg_update.rows_misaligned",
        "A backwards": "pg_update.rows_misaligned",
    },
)
CHOSEN = Factor(  # only for discrete actions
    "density",
    {
        "log": None,
        "p": "pg_update.probability",
        "fit": "pg_update.fits_advantage",
        "log log": "pg_update.double_log",
        "logit": "pg_update.logit",
        "softmax twice": "pg_update.softmax_twice",
        "softmax of product": "pg_update.softmax_of_product",
        "all": "pg_update.all_actions",
    },
)
GAUSSIAN = Factor(  # only for continuous ones
    "density",
    {
        "log": None,
        "p": "pg_update.probability",
        "fit": "pg_update.fits_advantage",
        "log log": "pg_update.double_log",
        "mean alone": "pg_update.spread_kept",
        "squared error": "pg_update.squared_error",
        "first": "pg_update.one_component",
        "last": "pg_update.one_component",
    },
)
ACTION = Factor("action", {"taken": None, "greedy": "pg_update.greedy_action"})
PAIRS = Factor(
    "pairs",
    {
        "rows": None,
        "advantage of state": "pg_update.every_action_in_every_state",
        "advantage of action": "pg_update.every_action_in_every_state",
    },
)
ROWS = Factor(
    "rows",
    {
        "all": None,
        "first": "pg_update.part_of_batch",
        "last": "pg_update.part_of_batch",
        "not first": "pg_update.part_of_batch",
        "not last": "pg_update.part_of_batch",
    },
)
ENTROPY = Factor(
    "entropy",
    {"none": None, "more": "pg_update.entropy_bonus", "less": "pg_update.entropy_penalty"},
)
SIGN = Factor("sign", {"up": None, "down": "pg_update.wrong_way"})


def factors(discrete: bool) -> tuple[Factor, ...]:
    """Returns what may go wrong in an update."""
    return (SIGN, WEIGHT, CHOSEN if discrete else GAUSSIAN, ACTION, PAIRS, ROWS, ENTROPY)


def named(choice: Choice, discrete: bool) -> list[str]:
    """Returns the ids of those mistakes of a combination that numbers can tell.

    The gradient of a single row has the same direction whatever multiplies it; and where the mean
    itself is taken for the action, only the spread moves, and all components of it alike.
    """
    alone = dict(right_choice(factors(discrete)))
    if choice["action"] == "greedy" and not discrete:
        return mistakes_in(alone | {"action": "greedy"}, factors(discrete))
    if choice["rows"] in ("first", "last"):
        return mistakes_in(alone | {"rows": choice["rows"]}, factors(discrete))
    return mistakes_in(choice, factors(discrete))


def weights(advantage: np.ndarray, choice: Choice) -> np.ndarray:
    """Returns what the density of each row is multiplied with. Shape (BATCH,)."""
    a = advantage.astype(np.float64)
    forms: dict[str, Callable[[], np.ndarray]] = {
        "A": lambda: a,
        "1": lambda: np.ones_like(a),
        "mean A": lambda: np.full_like(a, a.mean()),
        "|A|": lambda: np.abs(a),
        "A - mean": lambda: a - a.mean(),
        "sign A": lambda: np.sign(a),
        "A^2": lambda: a**2,
        "exp A": lambda: np.exp(a),
        "max(A, 0)": lambda: np.maximum(a, 0),
        "clip(A)": lambda: np.clip(a, -1, 1),
        "A / sum": lambda: a / a.sum(),
        "A of next": lambda: np.roll(a, -1),
        "A of last": lambda: np.roll(a, 1),
        "A backwards": lambda: a[::-1],
    }
    rows = np.arange(BATCH)
    kept = {
        "all": rows >= 0,
        "first": rows == 0,
        "last": rows == BATCH - 1,
        "not first": rows > 0,
        "not last": rows < BATCH - 1,
    }
    return np.asarray(forms[choice["weight"]]() * kept[choice["rows"]])


def softmax(logits: np.ndarray) -> np.ndarray:
    """Returns probabilities, for each row."""
    e = np.exp(logits - logits.max(-1, keepdims=True))
    p: np.ndarray = e / e.sum(-1, keepdims=True)
    return p


def chosen_rows(
    logits: np.ndarray, action: np.ndarray, weight: np.ndarray, density: str
) -> np.ndarray:
    """Returns the derivative of weight * density by the logits, for each row. Shape (n, A)."""
    p, taken = softmax(logits.astype(np.float64)), np.eye(ACTIONS)[action]
    times = weight[:, None]
    p_taken = (p * taken).sum(1, keepdims=True)
    if density == "p":
        return np.asarray(times * (taken - p) * p_taken)
    if density == "log log":
        return np.asarray(times * (taken - p) / np.log(p_taken))
    if density == "fit":  # a squared difference of log-probability and weight
        return np.asarray((times - np.log(p_taken)) * (taken - p))
    if density == "logit":
        return np.asarray(times * taken)
    if density == "all":
        return np.asarray(times * (1 - ACTIONS * p))
    if density == "softmax of product":
        return np.asarray(times * (taken - softmax(times * np.log(p))))
    if density == "softmax twice":
        by_p = taken - softmax(p)
        return np.asarray(times * p * (by_p - (p * by_p).sum(1, keepdims=True)))
    return np.asarray(times * (taken - p))


def gaussian_rows(
    mean: np.ndarray, spread: np.ndarray, action: np.ndarray, weight: np.ndarray, density: str
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the derivatives of weight * density by mean and by logstd. Shapes (n, d)."""
    z = (action - mean) / spread
    by_mean, by_logstd = z / spread, z**2 - 1
    log_p = -(z**2 / 2 + np.log(spread) + np.log(2 * np.pi) / 2).sum(1)
    times = weight[:, None].copy()
    if density == "p":
        times *= np.exp(log_p)[:, None]
    elif density == "log log":
        times /= log_p[:, None]
    elif density == "fit":
        times -= log_p[:, None]
    elif density in ("mean alone", "squared error"):
        by_logstd = np.zeros_like(by_logstd)
        by_mean = by_mean * (spread**2 if density == "squared error" else 1)
    elif density in ("first", "last"):
        kept = np.eye(len(spread))[0 if density == "first" else -1]
        by_mean, by_logstd = by_mean * kept, by_logstd * kept
    return times * by_mean, times * by_logstd


def _asked(seed: int) -> Iterable[tuple[Any, ...]]:
    """Yields what `predict_change` will be asked, up to two mistakes at once."""
    case = update_case(seed)
    for batch, discrete in itertools.product((case, other_advantage(case)), (True, False)):
        parts = [factor for factor in factors(discrete) if factor is not ENTROPY]
        yield from ((batch, discrete, choice) for choice in choices(parts, 2))


@secret(_asked)
def predict_change(case: PolicyCase, discrete: bool, choice: Choice) -> np.ndarray:
    """Predicts how parameters move, up to a positive factor: the table, then logstd, flat."""
    table = case.table(discrete).astype(np.float64)
    action = case.choice if discrete else case.move.astype(np.float64)
    state, weight = case.state, weights(case.advantage, choice)
    if choice["action"] == "greedy":
        action = table[:, state].argmax(0) if discrete else table[:, state].T
    if choice["pairs"] != "rows":
        action, state = np.repeat(action, BATCH, 0), np.tile(state, BATCH)
        by_state = choice["pairs"] == "advantage of state"
        weight = np.tile(weight, BATCH) if by_state else np.repeat(weight, BATCH)
    weight = -weight if choice["sign"] == "down" else weight
    columns, density = table[:, state].T, choice["density"]
    change = np.zeros_like(table)
    if discrete:
        np.add.at(change.T, state, chosen_rows(columns, action, weight, density))
        return change.reshape(-1)
    rows, by_logstd = gaussian_rows(columns, case.spread, action, weight, density)
    np.add.at(change.T, state, rows)
    return np.concatenate([change.reshape(-1), by_logstd.sum(0)])


@secret(lambda seed: ((update_case(seed), discrete) for discrete in (True, False)))
def entropy_change(case: PolicyCase, discrete: bool) -> np.ndarray:
    """Returns the direction in which the policy's entropy grows: the table, then logstd, flat."""
    change = np.zeros_like(case.table(discrete), dtype=np.float64)
    if not discrete:
        return np.concatenate([change.reshape(-1), np.ones_like(case.spread)])
    log_p = np.log(softmax(case.logits[:, case.state].T.astype(np.float64)))
    p = np.exp(log_p)
    change[:, case.state] = -(p * (log_p - (p * log_p).sum(1, keepdims=True))).T
    return change.reshape(-1)


def predict_update(cases: Sequence[PolicyCase], discrete: bool, choice: Choice) -> Outcome:
    """Predicts the directions of updates on two batches, and that of more entropy."""
    changes = [predict_change(case, discrete, choice) for case in cases]
    entropy = np.zeros(0)
    if choice["entropy"] != "none":
        sign = 1.0 if choice["entropy"] == "more" else -1.0
        entropy = sign * entropy_change(cases[0], discrete)
    return {"a": changes[0], "b": changes[1], "entropy": entropy}


def agrees(seen: tuple[np.ndarray, np.ndarray], outcome: Outcome) -> bool:
    """Tells whether two changes have the predicted directions, with any share of entropy."""
    predicted = (outcome["a"], outcome["b"])
    entropy = outcome["entropy"]
    if entropy.size == 0:
        return all(same_direction(s, p, SAME) for s, p in zip(seen, predicted, strict=True))
    return all(_mixed(s, p, entropy) for s, p in zip(seen, predicted, strict=True))


def _mixed(seen: np.ndarray, objective: np.ndarray, entropy: np.ndarray) -> bool:
    """Tells whether a change is a positive mixture of two directions."""
    basis = np.stack([objective, entropy], axis=1)
    share = np.linalg.lstsq(basis, seen.astype(np.float64), rcond=None)[0]
    size = float(np.linalg.norm(seen))
    visible = share * np.linalg.norm(basis, axis=0) > 1.5 * MIXED * size
    return bool(visible.all()) and float(np.linalg.norm(seen - basis @ share)) < MIXED * size

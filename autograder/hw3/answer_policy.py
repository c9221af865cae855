"""Answers about a policy's distribution: log-probabilities as a formula with switches, in NumPy."""

from __future__ import annotations

import re

import numpy as np

from autograder.hw3.answer_policy_update import judge_trial, softmax
from autograder.hw3.policy_case import (
    ACTIONS,
    BATCH,
    COMPONENTS,
    PolicyCase,
    forward_case,
    point_weights,
    points,
    update_case,
)
from autograder.hw3.probe_policy import KINDS, NOTHING, WHAT_IS_ASKED
from autograder.judge import (
    REL,
    Choice,
    Factor,
    Judgement,
    Outcome,
    close,
    difference,
    explain,
    judge_crash,
    mistakes_in,
    right_choice,
)
from autograder.probing import Crash, Observation, Trial

BLANK = "hw3.policy.forward"
SLACK = 1e-4  # of log-probabilities, which are sums of terms of the size of ten
TINY = 1.2e-7  # torch keeps probabilities at least this far from 0 and from 1
STILL = 1e-7

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
    return np.log(softmax(taken))


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
        "0": 0 * mean,
        "logstd": mean * 0 + logstd,
        "exp(logstd)": mean * 0 + np.exp(logstd),
    }[choice["mean"]]
    return middle, np.where((spread > 0).all(), spread, np.nan) + 0 * mean


def log_prob_of(case: PolicyCase, seed: int, discrete: bool, choice: Choice) -> np.ndarray:
    """Predicts log-probabilities of `points`: shape (ACTIONS, n) or (POINTS, n, COMPONENTS)."""
    if discrete:
        return chosen_log_prob(case.logits[:, case.state].T, choice["logits"]).T
    mean, spread = mean_and_spread(case, choice)
    z = (points(seed, discrete) - mean) / spread
    return -(z**2 / 2 + np.log(spread) + np.log(2 * np.pi) / 2)


def predict_forward(seed: int, discrete: bool, choice: Choice) -> Outcome:
    """Predicts what two distributions think of known actions."""
    return {
        name: log_prob_of(forward_case(seed, wide), seed, discrete, choice)
        for name, wide in (("wide", True), ("narrow", False))
    }


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


def judge_forward(seen: Observation, seed: int) -> Judgement:
    """Judges the distributions for discrete and for continuous actions."""
    verdict = Judgement()
    for kind, discrete in KINDS.items():
        wide, narrow = (_one_of(seen, f"{kind}_{name}") for name in ("wide", "narrow"))
        if not _is_distribution(wide, discrete, verdict):
            continue
        _judge_log_prob(wide, narrow, seed, discrete, verdict)
        _judge_flow(wide, seed, discrete, verdict)
        if wide.arrays["log_prob"].ndim > 2 and not _sums_itself(seen, seed):
            verdict.name("forward.components_apart")
    return verdict


def _one_of(seen: Observation, name: str) -> Trial:
    """Returns a trial; the one with an array in place of a tensor if only that came to an end."""
    again = seen.get(f"{name}_array")
    return again if again is not None and not again.crash else seen[name]


def _sums_itself(seen: Observation, seed: int) -> bool:
    """Tells whether the student's own update copes with a log-probability a component."""
    trial = seen["update_of_components"]
    return trial.crash is None and _explained(trial, seed)


def _explained(trial: Trial, seed: int) -> bool:
    copied = {f"{name}_{what}": trial.arrays[f"a_{what}"]
              for name in ("a", "b", "again") for what in ("change", "pulls", "tape")}  # fmt: skip
    return judge_trial(Trial(copied), update_case(seed), discrete=False).passed


def _is_distribution(trial: Trial, discrete: bool, verdict: Judgement) -> bool:
    """Judges what came back, before any numbers; tells whether there are numbers to judge."""
    arrays, crash = trial.arrays, trial.crash
    if crash and crash.blank:
        verdict.blank |= crash.blank == BLANK
        return False
    if "returned" not in arrays:
        assert crash is not None
        judge_crash(crash, known_crash(crash), verdict)
        return False
    returned = int(arrays["returned"])
    if returned != WHAT_IS_ASKED:
        verdict.name(
            "forward.nothing_returned" if returned == NOTHING else "forward.no_distribution"
        )
        return False
    shape = arrays.get("log_prob", np.zeros(0)).shape
    right = _shapes(discrete)
    if shape in right:
        return True
    events = (arrays.get("batch_shape", np.zeros(0)), arrays.get("event_shape", np.zeros(0)))
    batch, event = (tuple(int(n) for n in e) for e in events)
    _name_shape(batch, event, discrete, verdict)
    if verdict.passed and crash:
        judge_crash(crash, known_crash(crash), verdict)
    elif verdict.passed:
        verdict.unknown.append(f"log_prob of a batch has shape {shape[1:]}, expected {(BATCH,)}")
    return False


def _shapes(discrete: bool) -> list[tuple[int, ...]]:
    """Returns the shapes that log-probabilities of `points` may have."""
    rows = point_weights(0, discrete).shape
    return [rows] if discrete else [rows, (*rows, COMPONENTS)]


def _name_shape(
    batch: tuple[int, ...], event: tuple[int, ...], discrete: bool, verdict: Judgement
) -> None:
    """Names what the shapes of a distribution tell."""
    size = ACTIONS if discrete else COMPONENTS
    if batch == () and event in ((BATCH,), (BATCH, size)):
        verdict.name("forward.rows_joined")
    elif discrete and batch + event == (BATCH, ACTIONS):
        verdict.name("forward.not_one_choice")
    elif not discrete and (batch, event) == ((BATCH,), ()):
        verdict.name("forward.kinds_swapped")


def _judge_log_prob(
    wide: Trial, narrow: Trial, seed: int, discrete: bool, verdict: Judgement
) -> None:
    """Names what explains the log-probabilities in both cases."""
    observed = {"wide": wide.arrays["log_prob"]}
    if "log_prob" in narrow.arrays:
        observed["narrow"] = narrow.arrays["log_prob"]

    def fits(outcome: Outcome) -> bool:
        return all(_fits(observed[name], outcome[name]) for name in observed)

    found = explain(
        factors(discrete), lambda choice: predict_forward(seed, discrete, choice), fits
    )
    if found:
        verdict.name(*mistakes_in(found, factors(discrete)))
        if not mistakes_in(found, factors(discrete)) and narrow.crash:
            judge_crash(narrow.crash, known_crash(narrow.crash), verdict)
        return
    right = predict_forward(seed, discrete, right_choice(factors(discrete)))
    for name, log_prob in observed.items():
        expected = right[name] if log_prob.ndim == right[name].ndim else right[name].sum(-1)
        if not _fits(log_prob, right[name]):
            verdict.unknown.append(difference("log_prob of known actions", log_prob, expected))
            return


def _fits(observed: np.ndarray, predicted: np.ndarray) -> bool:
    """Compares log-probabilities, a component or joined. A prediction of none fits anything."""
    if np.isnan(predicted).any():
        return True
    expected = predicted if observed.ndim == predicted.ndim else predicted.sum(-1)
    return close(observed, expected, REL, SLACK)


def _judge_flow(trial: Trial, seed: int, discrete: bool, verdict: Judgement) -> None:
    """Judges whether log-probabilities can be learned from: their gradients."""
    if trial.crash:
        judge_crash(trial.crash, known_crash(trial.crash), verdict)
        return
    table, logstd = trial.arrays["table_grad"], trial.arrays.get("logstd_grad", np.zeros(0))
    ignored = {"forward.mean_missing", "forward.spread_fixed", SWAPPED} & set(verdict.mistakes)
    cut = []
    if np.abs(table).max() < STILL and "forward.mean_missing" not in ignored:
        cut.append("forward.network_cut")
    if not discrete and np.abs(logstd).max() < STILL and not ignored:
        cut.append("forward.spread_cut")
    verdict.name(*cut)
    if verdict.passed:
        expected = right_gradients(forward_case(seed, True), seed, discrete)
        for name, seen, right in zip(("table", "logstd"), (table, logstd), expected, strict=True):
            if not close(seen, right, REL, 1e-3):
                verdict.unknown.append(difference(f"gradient of {name}", seen, right))


CRASHES = (
    ("does not require grad|does not have a grad_fn", "forward.network_cut"),
    ("'NoneType' object is not callable", "forward.kinds_swapped"),
    ("must be at least two-dimensional", "forward.not_a_matrix"),
    ("constraint Simplex", "forward.logits_as_probs"),
)


def known_crash(crash: Crash) -> str | None:
    """Returns the mistake behind an exception, if it tells one of the distribution's."""
    return next((mistake for text, mistake in CRASHES if re.search(text, crash.text)), None)

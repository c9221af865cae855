"""Answers about a policy's distribution: which mistakes explain its log-probabilities."""

from __future__ import annotations

import re

import numpy as np

from autograder.hw3.answer_policy_action import judge_get_action
from autograder.hw3.answer_policy_update import judge_trial
from autograder.hw3.policy_case import (
    ACTIONS,
    BATCH,
    COMPONENTS,
    forward_case,
    point_weights,
    update_case,
)
from autograder.hw3.policy_formula import factors, predict_forward, right_gradients, uses
from autograder.hw3.policy_world import KINDS
from autograder.hw3.probe_policy import NOTHING, WHAT_IS_ASKED
from autograder.judge import (
    REL,
    Choice,
    Judgement,
    Outcome,
    close,
    difference,
    explain,
    judge_blank,
    judge_crash,
    mistakes_in,
    right_choice,
)
from autograder.probing import Crash, Observation, Trial

__all__ = ["judge_forward", "judge_get_action"]

BLANK = "hw3.policy.forward"
SLACK = 1e-4  # of log-probabilities, which are sums of terms of the size of ten
STILL = 1e-7


def judge_forward(seen: Observation, seed: int) -> Judgement:
    """Judges the distributions for discrete and for continuous actions."""
    verdict = Judgement()
    for kind, discrete in KINDS.items():
        found = _judge_kind(seen, kind, seed, discrete)
        verdict.name(*found.mistakes)
        verdict.unknown += found.unknown
        verdict.notes += [note for note in found.notes if note not in verdict.notes]
        verdict.blank |= found.blank
    return verdict


def _judge_kind(seen: Observation, kind: str, seed: int, discrete: bool) -> Judgement:
    """Judges the distributions for one kind of actions."""
    verdict = Judgement()
    wide, narrow = (_one_of(seen, f"{kind}_{name}") for name in ("wide", "narrow"))
    if not _is_distribution(wide, discrete, verdict):
        return verdict
    found = _judge_log_prob(wide, narrow, seed, discrete, verdict)
    _judge_flow(wide, seed, discrete, found, verdict)
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
    return not (trial.crash or judge_trial(trial, update_case(seed), discrete=False).unknown)


def _is_distribution(trial: Trial, discrete: bool, verdict: Judgement) -> bool:
    """Judges what came back, before any numbers; tells whether there are numbers to judge."""
    arrays, crash = trial.arrays, trial.crash
    if crash and crash.blank:
        judge_blank(crash, BLANK, verdict)
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
    events = (arrays.get("batch_shape", np.zeros(0)), arrays.get("event_shape", np.zeros(0)))
    batch, event = (tuple(int(n) for n in e) for e in events)
    _name_shape(batch, event, discrete, verdict)
    if not verdict.passed:
        return False
    shape = arrays.get("log_prob", np.zeros(0)).shape
    if shape in _shapes(discrete):
        return True
    if crash:
        judge_crash(crash, known_crash(crash), verdict)
    else:
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
) -> Choice | None:
    """Names what explains the log-probabilities in both cases; returns it."""
    observed = {"wide": wide.arrays["log_prob"]}
    if "log_prob" in narrow.arrays:
        observed["narrow"] = narrow.arrays["log_prob"]

    def fits(outcome: Outcome) -> bool:
        return all(_fits(observed[name], outcome[name]) for name in observed)

    found = explain(factors(discrete), lambda choice: predict_forward(seed, discrete, choice), fits)
    if found:
        verdict.name(*mistakes_in(found, factors(discrete)))
        if not mistakes_in(found, factors(discrete)) and narrow.crash:
            judge_crash(narrow.crash, known_crash(narrow.crash), verdict)
        return found
    right = predict_forward(seed, discrete, right_choice(factors(discrete)))
    for name, log_prob in observed.items():
        expected = right[name] if log_prob.ndim == right[name].ndim else right[name].sum(-1)
        if not _fits(log_prob, right[name]):
            verdict.unknown.append(difference("log_prob of known actions", log_prob, expected))
            break
    return None


def _fits(observed: np.ndarray, predicted: np.ndarray) -> bool:
    """Compares log-probabilities, a component or joined. A prediction of none fits anything."""
    if np.isnan(predicted).any():
        return True
    expected = predicted if observed.ndim == predicted.ndim else predicted.sum(-1)
    return close(observed, expected, REL, SLACK)


def _judge_flow(
    trial: Trial, seed: int, discrete: bool, found: Choice | None, verdict: Judgement
) -> None:
    """Judges whether log-probabilities can be learned from: their gradients."""
    if trial.crash:
        judge_crash(trial.crash, known_crash(trial.crash), verdict)
        return
    if found is None:
        return
    table, logstd = trial.arrays["table_grad"], trial.arrays.get("logstd_grad", np.zeros(0))
    of_network, of_logstd = uses(found)
    if of_network and np.abs(table).max() < STILL:
        verdict.name("forward.network_cut")
    if of_logstd and np.abs(logstd).max() < STILL:
        verdict.name("forward.spread_cut")
    if verdict.passed:
        expected = right_gradients(forward_case(seed, True), seed, discrete)
        for name, seen, right in zip(("table", "logstd"), (table, logstd), expected, strict=True):
            if not close(seen, right, REL, 1e-3):
                verdict.unknown.append(difference(f"gradient of {name}", seen, right))


CRASHES = (
    ("does not require grad|does not have a grad_fn", "forward.network_cut"),
    ("'NoneType' object is not callable", "forward.kinds_swapped"),
    ("must be at least two-dimensional", "forward.not_a_matrix"),
)


def known_crash(crash: Crash) -> str | None:
    """Returns the mistake behind an exception, if it tells one of the distribution's."""
    return next((mistake for text, mistake in CRASHES if re.search(text, crash.text)), None)

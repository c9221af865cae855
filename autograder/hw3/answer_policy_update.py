"""Answers about the policy gradient step: which mistakes explain how a table moved."""

from __future__ import annotations

import functools
import re
from dataclasses import replace

import numpy as np

from autograder.hw3.policy_case import PolicyCase, other_advantage, update_case
from autograder.hw3.policy_gradient_formula import agrees, factors, named, predict_update
from autograder.hw3.policy_world import BACKWARD, EMPTY_STEP, KINDS, STEP
from autograder.judge import (
    Judgement,
    close,
    difference,
    ends_as_given,
    explain,
    judge_crash,
    right_choice,
)
from autograder.probing import Crash, Observation, Trial
from autograder.recording import OtherNumbersError

BLANK = "hw3.policy.update"
STILL = 1e-9  # no entry of a right step's change is this small in the rows it touches
NOT_FINITE = "the policy's parameters are no finite numbers after an update"


def judge_update(seen: Observation, seed: int) -> Judgement:
    """Judges the policy gradient step with discrete and with continuous actions."""
    verdict = Judgement()
    for kind, discrete in KINDS.items():
        trials = [trial for name, trial in seen.items() if name.startswith(kind)]
        found = best_of(
            [judge_trial(t, update_case(seed), discrete) for t in ours_first(trials, BLANK)]
        )
        verdict.name(*found.mistakes)
        verdict.unknown += found.unknown
        verdict.notes += [note for note in found.notes if note not in verdict.notes]
        verdict.blank |= found.blank
    return verdict


def ours_first(trials: list[Trial], blank: str) -> list[Trial]:
    """Returns the trials that a neighbour of `blank` did not end, at least the first."""
    whole = [t for t in trials if t.crash is None or not _of_neighbour(t.crash, blank)]
    return whole or trials[:1]


def _of_neighbour(crash: Crash, blank: str) -> bool:
    return crash.function == "forward" or crash.blank not in (None, blank)


def best_of(judgements: list[Judgement]) -> Judgement:
    """Returns the first of the most favourable judgements: contracts with neighbours may differ."""
    return min(judgements, key=lambda j: (not j.passed, len(j.unknown), len(j.mistakes)))


def _is_as_given(trial: Trial) -> bool:
    """Tells whether `update` neither asks the policy for anything nor makes a loss."""
    assert trial.crash is not None
    return "a_asked" not in trial.arrays and ends_as_given(trial.crash)


def judge_trial(trial: Trial, case: PolicyCase, discrete: bool) -> Judgement:
    """Judges updates with one kind of actions and one `forward`."""
    verdict = Judgement()
    if trial.crash:
        if trial.crash.blank == BLANK or _is_as_given(trial):
            verdict.blank = True
            return verdict
        return judge_crash(trial.crash, known_crash(trial.crash), verdict)
    if trial.arrays.get("inputs_changed"):
        verdict.name("pg_update.inputs_changed")
    changes = [trial.arrays[f"{name}_change"] for name in ("a", "b", "again")]
    _judge_order(trial.arrays, verdict)
    unmoved = not verdict.passed
    if unmoved:  # nothing moved, or too often: then what backward brought tells the rest
        pulls = [trial.arrays[f"{name}_pulls"] for name in ("a", "b", "again")]
        if not all(len(p) for p in pulls):
            return verdict
        changes = [p.sum(0) for p in pulls]
        if all(np.abs(change).max() < STILL for change in changes):
            verdict.mistakes = ["pg_update.no_gradient"]
            return verdict
    _judge_direction(trial, changes, case, discrete, verdict)
    if not (unmoved or verdict.unknown or "pg_update.resampled" in verdict.mistakes):
        _judge_in_turn(trial.arrays, verdict)
    return verdict


def _judge_order(arrays: dict[str, np.ndarray], verdict: Judgement) -> None:
    """Judges when and how often the optimizer stepped."""
    tape = arrays["a_tape"].tolist()
    steps = [i for i, event in enumerate(tape) if event in (STEP, EMPTY_STEP)]
    backward = [i for i, event in enumerate(tape) if event == BACKWARD]
    if not backward:
        verdict.name("pg_update.no_backward")
    elif not steps:
        verdict.name("pg_update.no_step")
    elif steps[-1] < backward[0]:
        verdict.name("pg_update.step_before_backward")
    elif np.abs(arrays["a_change"]).max() < STILL:
        verdict.name("pg_update.gradient_cleared")
    elif len([i for i in steps if tape[i] == STEP]) > 1:
        verdict.name("pg_update.more_steps")


def _judge_direction(
    trial: Trial, changes: list[np.ndarray], case: PolicyCase, discrete: bool, verdict: Judgement
) -> None:
    """Names what explains the directions of two updates."""
    cases = [case, other_advantage(case)]
    if not all(np.all(np.isfinite(change)) for change in changes):
        verdict.unknown.append(NOT_FINITE)
        return
    if not close(changes[2], changes[0]):
        verdict.name("pg_update.resampled")
        asked = [trial.arrays.get(f"{name}_asked", np.empty(0)) for name in ("a", "b")]
        if any(a.size != case.action(discrete).size for a in asked):
            return
        cases = [_with_actions(c, a, discrete) for c, a in zip(cases, asked, strict=True)]
    if "pg_update.more_steps" in verdict.mistakes:
        return
    try:
        _name_direction((changes[0], changes[1]), cases, discrete, verdict)
    except OtherNumbersError:  # of actions that a student drew themselves nothing is recorded
        if "pg_update.resampled" not in verdict.mistakes:
            raise


def _name_direction(
    directions: tuple[np.ndarray, np.ndarray],
    cases: list[PolicyCase],
    discrete: bool,
    verdict: Judgement,
) -> None:
    """Names the mistakes that lead into two directions."""
    predict = functools.partial(predict_update, cases, discrete)
    found = explain(factors(discrete), predict, lambda outcome: agrees(directions, outcome))
    if found is None:
        right = predict(right_choice(factors(discrete)))["a"]
        verdict.unknown.append(_first_difference(directions[0], right, discrete))
        return
    verdict.name(*named(found, discrete))


def _with_actions(case: PolicyCase, asked: np.ndarray, discrete: bool) -> PolicyCase:
    """Returns a case in which the actions are those that `log_prob` was asked for."""
    if discrete:
        return replace(case, choice=asked.reshape(-1).astype(np.int64))
    return replace(case, move=asked.reshape(case.move.shape).astype(np.float32))


def _first_difference(seen: np.ndarray, right: np.ndarray, discrete: bool) -> str:
    """Says where a change, scaled to the size of the right one, first differs from it."""
    size = float(np.linalg.norm(seen))
    scaled = seen * (float(np.linalg.norm(right)) / size) if size > 0 else seen
    name = "change of the logits" if discrete else "change of the mean, then of logstd"
    return difference(f"{name}, scaled", scaled, right)


def _judge_in_turn(arrays: dict[str, np.ndarray], verdict: Judgement) -> None:
    """Judges the second update of one policy: nothing of the first may be left."""
    second, fresh = arrays["in_turn2_change"], arrays["b_change"]
    if close(second, fresh):
        return
    piled = close(second, fresh + arrays["a_change"])
    if piled:
        verdict.name("pg_update.gradients_pile_up")
    else:
        verdict.unknown.append(difference("change of the second update", second, fresh))


CRASHES = (
    ("does not require grad|does not have a grad_fn", "pg_update.graph_cut"),
    ("can be implicitly created only for scalar", "pg_update.loss_not_scalar"),
    ("has no attribute '(item|backward)'", "pg_update.loss_not_tensor"),
    ("int64 for index|indices must be|must be of integer|Long", "pg_update.actions_not_whole"),
    ("within the support", "pg_update.not_actions"),
    ("not broadcastable|must match the size|Value is not broadcast", "pg_update.shapes"),
)


def known_crash(crash: Crash) -> str | None:
    """Returns the mistake behind an exception, if it tells one of the update's."""
    return next((mistake for text, mistake in CRASHES if re.search(text, crash.text)), None)

"""Answers about the policy gradient step: its direction as a formula with switches, in NumPy."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from autograder.hw3.policy_case import ACTIONS, BATCH, PolicyCase, other_advantage, update_case
from autograder.hw3.probe_policy import BACKWARD, EMPTY_STEP, KINDS, STEP
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
    same_direction,
)
from autograder.probing import Crash, Observation, Trial

BLANK = "hw3.policy.update"
STILL = 1e-9  # no entry of a right step's change is this small in the rows it touches
NOT_FINITE = "the policy's parameters are no finite numbers after an update"

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
    },
)
CHOSEN = Factor(  # only for discrete actions
    "density",
    {
        "log": None,
        "p": "pg_update.probability",
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


def weights(advantage: np.ndarray, choice: Choice) -> np.ndarray:
    """Returns what the density of each row is multiplied with. Shape (BATCH,)."""
    a = advantage.astype(np.float64)
    weight: np.ndarray = {
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
    }[choice["weight"]]()
    rows = np.arange(BATCH)
    kept = {
        "all": rows >= 0,
        "first": rows == 0,
        "last": rows == BATCH - 1,
        "not first": rows > 0,
        "not last": rows < BATCH - 1,
    }
    return weight * kept[choice["rows"]]


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
    if density == "p":
        return times * (taken - p) * (p * taken).sum(1, keepdims=True)
    if density == "logit":
        return times * taken
    if density == "all":
        return times * (1 - ACTIONS * p)
    if density == "softmax of product":
        return times * (taken - softmax(times * np.log(p)))
    if density == "softmax twice":
        by_p = taken - softmax(p)
        return times * p * (by_p - (p * by_p).sum(1, keepdims=True))
    return times * (taken - p)


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
    elif density in ("mean alone", "squared error"):
        by_logstd = np.zeros_like(by_logstd)
        by_mean = by_mean * (spread**2 if density == "squared error" else 1)
    elif density in ("first", "last"):
        kept = np.eye(len(spread))[0 if density == "first" else -1]
        by_mean, by_logstd = by_mean * kept, by_logstd * kept
    return times * by_mean, times * by_logstd


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


def entropy_change(case: PolicyCase, discrete: bool) -> np.ndarray:
    """Returns the direction in which the policy's entropy grows: the table, then logstd, flat."""
    change = np.zeros_like(case.table(discrete), dtype=np.float64)
    if not discrete:
        return np.concatenate([change.reshape(-1), np.ones_like(case.spread)])
    log_p = np.log(softmax(case.logits[:, case.state].T.astype(np.float64)))
    p = np.exp(log_p)
    change[:, case.state] = -(p * (log_p - (p * log_p).sum(1, keepdims=True))).T
    return change.reshape(-1)


def predict_update(cases: Iterable[PolicyCase], discrete: bool, choice: Choice) -> Outcome:
    """Predicts the directions of updates on two batches, and that of more entropy."""
    changes = [predict_change(case, discrete, choice) for case in cases]
    entropy = np.zeros(0)
    if choice["entropy"] != "none":
        sign = 1.0 if choice["entropy"] == "more" else -1.0
        entropy = sign * entropy_change(next(iter(cases)), discrete)
    return {"a": changes[0], "b": changes[1], "entropy": entropy}


def agrees(seen: tuple[np.ndarray, np.ndarray], outcome: Outcome) -> bool:
    """Tells whether two changes have the predicted directions, with any share of entropy."""
    predicted = (outcome["a"], outcome["b"])
    entropy = outcome["entropy"]
    if entropy.size == 0:
        return all(same_direction(s, p) for s, p in zip(seen, predicted, strict=True))
    return all(_mixed(s, p, entropy) for s, p in zip(seen, predicted, strict=True))


def _mixed(seen: np.ndarray, objective: np.ndarray, entropy: np.ndarray) -> bool:
    """Tells whether a change is a positive mixture of two directions."""
    basis = np.stack([objective, entropy], axis=1)
    share = np.linalg.lstsq(basis, seen.astype(np.float64), rcond=None)[0]
    size = float(np.linalg.norm(seen))
    visible = share * np.linalg.norm(basis, axis=0) > 2 * REL * size
    return bool(visible.all()) and float(np.linalg.norm(seen - basis @ share)) < REL * size


def judge_update(seen: Observation, seed: int) -> Judgement:
    """Judges the policy gradient step with discrete and with continuous actions."""
    verdict = Judgement()
    for kind, discrete in KINDS.items():
        trials = [trial for name, trial in seen.items() if name.startswith(kind)]
        found = best_of([judge_trial(t, update_case(seed), discrete) for t in ours_first(trials)])
        verdict.name(*found.mistakes)
        verdict.unknown += found.unknown
        verdict.blank |= found.blank
    # Discrete actions have log-probabilities below 0, whose logarithm is no number.
    if "pg_update.double_log" in verdict.mistakes and NOT_FINITE in verdict.unknown:
        verdict.unknown.remove(NOT_FINITE)
    return verdict


def ours_first(trials: list[Trial]) -> list[Trial]:
    """Returns the trials that a neighbour of the student's own did not end, at least one."""
    whole = [t for t in trials if t.crash is None or not _of_neighbour(t.crash)]
    return whole or trials[:1]


def _of_neighbour(crash: Crash) -> bool:
    return crash.function == "forward" or crash.blank not in (None, BLANK)


def best_of(judgements: list[Judgement]) -> Judgement:
    """Returns the first of the most favourable judgements: contracts with neighbours may differ."""
    return min(judgements, key=lambda j: (not j.passed, len(j.unknown), len(j.mistakes)))


def judge_trial(trial: Trial, case: PolicyCase, discrete: bool) -> Judgement:
    """Judges updates with one kind of actions and one `forward`."""
    verdict = Judgement()
    if trial.crash:
        if trial.crash.blank == BLANK:
            verdict.blank = True
            return verdict
        return judge_crash(trial.crash, known_crash(trial.crash), verdict)
    changes = [trial.arrays[f"{name}_change"] for name in ("a", "b", "again")]
    _judge_order(trial.arrays, verdict)
    if verdict.mistakes:  # nothing moved, or too often: then what backward brought tells the rest
        pulls = [trial.arrays[f"{name}_pulls"] for name in ("a", "b", "again")]
        if not all(len(p) for p in pulls):
            return verdict
        changes = [p.sum(0) for p in pulls]
    _judge_direction(trial, changes, case, discrete, verdict)
    if verdict.passed:
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
    predict = functools.partial(predict_update, cases, discrete)
    directions = (changes[0], changes[1])
    found = explain(factors(discrete), predict, lambda outcome: agrees(directions, outcome))
    if found is None:
        right = predict(right_choice(factors(discrete)))["a"]
        verdict.unknown.append(_first_difference(changes[0], right, discrete))
        return
    verdict.name(*mistakes_in(found, factors(discrete)))


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
    ("within the support", "pg_update.not_actions"),
    ("not broadcastable|must match the size|Value is not broadcast", "pg_update.shapes"),
)


def known_crash(crash: Crash) -> str | None:
    """Returns the mistake behind an exception, if it tells one of the update's."""
    return next((mistake for text, mistake in CRASHES if re.search(text, crash.text)), None)

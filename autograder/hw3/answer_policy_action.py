"""Answers about `get_action`: which distribution its actions were drawn from.

Rates: a right student fails with a chance below 1e-9 (chi-square and normal tails; the tests draw
thousands of times), and draws from one distribution pass for another's with a chance below 1e-6.
"""

from __future__ import annotations

import itertools
import re

import numpy as np

from autograder.hw3.policy_case import ACTIONS, COMPONENTS, DRAWS, PolicyCase, draw_case
from autograder.hw3.policy_world import KINDS
from autograder.hw3.probe_policy import NOTHING, SOMETHING_ELSE, TENSOR, WHAT_IS_ASKED
from autograder.judge import Judgement, close, judge_crash
from autograder.probing import Crash, Observation, Trial
from autograder.recording import secret

BLANK = "hw3.policy.get_action"
UNLIKELY = 36.0  # minus log-likelihood ratio; twice it is chi-square, 8 degrees: tail 1e-12
CLEARLY = 12.0  # log-likelihood ratio of the best explanation and the next
SIGMAS = 6.5  # of means of DRAWS: tail 1e-10
WIDER = 0.3  # of log standard deviations of DRAWS: eight of their own
ALIKE = 0.5  # correlation of components that have nothing to do with each other: ten sigmas
HOW = ("p", "uniform", "other state", "p^2", "sqrt p", "softmax twice", "logits")
MISTAKES = (  # distributions of discrete actions that a mistake draws from
    ("uniform", "get_action.policy_ignored"),
    ("other state", "get_action.other_state"),
    ("p^2", "get_action.sharpened"),
    ("sqrt p", "get_action.flattened"),
    ("softmax twice", "get_action.flattened"),
    ("logits", "get_action.logits_as_probs"),
)


def softmax(logits: np.ndarray) -> np.ndarray:
    """Returns probabilities, for each row."""
    e = np.exp(logits - logits.max(-1, keepdims=True))
    p: np.ndarray = e / e.sum(-1, keepdims=True)
    return p


def ours_first(trials: list[Trial], blank: str) -> list[Trial]:
    """Returns the trials that a neighbour of `blank` did not end, at least the first."""
    whole = [t for t in trials if t.crash is None or not _of_neighbour(t.crash, blank)]
    return whole or trials[:1]


def _of_neighbour(crash: Crash, blank: str) -> bool:
    return crash.function == "forward" or crash.blank not in (None, blank)


def best_of(judgements: list[Judgement]) -> Judgement:
    """Returns the first of the most favourable judgements: contracts with neighbours may differ."""
    return min(judgements, key=lambda j: (not j.passed, len(j.unknown), len(j.mistakes)))


@secret(lambda seed: itertools.product([draw_case(seed)], HOW))
def chances_of(case: PolicyCase, how: str = "p") -> np.ndarray:
    """Returns the probability of each action in the two states. Shape (2, ACTIONS)."""
    p = softmax(case.logits[:, case.state[:2]].T.astype(np.float64))
    changed = {
        "p": p,
        "uniform": np.full_like(p, 1 / ACTIONS),
        "other state": p[::-1],
        "p^2": p**2,
        "sqrt p": np.sqrt(p),
        "softmax twice": softmax(p),
        "logits": case.logits[:, case.state[:2]].T.astype(np.float64),  # all below zero
    }[how]
    chances: np.ndarray = changed / changed.sum(1, keepdims=True)
    return chances


def surprise(counts: np.ndarray, chances: np.ndarray) -> float:
    """Returns log of how much likelier counts are under their own frequencies than `chances`."""
    share = np.maximum(counts, 1e-300) / counts.sum(1, keepdims=True)
    return float((counts * np.log(share / chances)).sum())


def source_of(counts: np.ndarray, case: PolicyCase) -> str | None:
    """Returns the mistake whose distribution counts come from, if one is by far the likeliest."""
    surprises = [(surprise(counts, chances_of(case, how)), mistake) for how, mistake in MISTAKES]
    best, mistake = min(surprises)
    rivals = [s for s, other in surprises if other != mistake]
    return mistake if best < UNLIKELY and min(rivals) > best + CLEARLY else None


def judge_get_action(seen: Observation, seed: int) -> Judgement:
    """Judges actions that were drawn from known distributions."""
    verdict, case = Judgement(), draw_case(seed)
    for kind, discrete in KINDS.items():
        names = [name for name in (f"{kind}_ours", f"{kind}_own") if name in seen]
        trials = ours_first([seen[name] for name in names], BLANK)
        found = best_of([_judge_trial(t, seen, case, discrete) for t in trials])
        verdict.name(*found.mistakes)
        verdict.unknown += found.unknown
        verdict.notes += [note for note in found.notes if note not in verdict.notes]
        verdict.blank |= found.blank
    return verdict


def _judge_trial(trial: Trial, seen: Observation, case: PolicyCase, discrete: bool) -> Judgement:
    """Judges what get_action returned: its kind, its shape, then its distribution."""
    verdict = Judgement()
    if trial.crash:
        if trial.crash.blank == BLANK:
            verdict.blank = True
            return verdict
        single = re.search("converted to Scalar", trial.crash.text)
        return judge_crash(trial.crash, "get_action.one_number" if single else None, verdict)
    returned = int(trial.arrays["returned"])
    if returned in (NOTHING, SOMETHING_ELSE):
        nothing = returned == NOTHING
        verdict.name("get_action.nothing_returned" if nothing else "get_action.no_action")
        return verdict
    played = seen.get("discrete_played" if discrete else "continuous_played", Trial())
    if returned == TENSOR and int(played.arrays.get("returned", TENSOR)) != WHAT_IS_ASKED:
        verdict.name("get_action.tensor")
    _judge_numbers(trial, case, discrete, verdict)
    return verdict


def _judge_numbers(trial: Trial, case: PolicyCase, discrete: bool, verdict: Judgement) -> None:
    """Judges the numbers of actions: how many, for which state, and by chance or not."""
    draws, once = trial.arrays["draws"], trial.arrays["once"]
    size = 1 if discrete else COMPONENTS
    if draws.ndim != 3 or draws.shape[2] not in (1, size, ACTIONS):
        shape = f"{draws.shape[2]} numbers" if draws.ndim == 3 else "no fixed size"
        verdict.unknown.append(f"one action has {shape}, expected {size}")
    elif _shows_another_state(trial, case):
        verdict.name("get_action.other_state")
    elif draws.shape[2] == size and _always_one(draws) and not (discrete and np.any(draws % 1)):
        best = case.logits.argmax(0)[:, None] if discrete else case.mean.T
        greedy = close(np.concatenate([draws[:, 0], once]), best[case.state].astype(np.float64))
        verdict.name("get_action.greedy" if greedy else "get_action.same_draw")
    elif discrete:
        _judge_choices(draws, case, verdict)
    else:
        _judge_moves(draws, case, verdict)


def _shows_another_state(trial: Trial, case: PolicyCase) -> bool:
    """Tells whether our distribution was asked for in a state that is not the one at hand."""
    shown = trial.arrays.get("shown", np.empty(0))
    if (
        shown.dtype.kind != "f"
        or shown.size == 0
        or shown.shape[-1] != case.observations().shape[1]
    ):
        return False
    rows = shown.reshape(2, -1, shown.shape[-1])
    return not np.array_equal(rows, np.broadcast_to(case.observations()[:2, None], rows.shape))


def _always_one(draws: np.ndarray) -> bool:
    """Tells whether chance has no part in any of the two states."""
    return bool(np.all(np.ptp(draws, axis=1) < 1e-9))


def _judge_choices(draws: np.ndarray, case: PolicyCase, verdict: Judgement) -> None:
    """Judges discrete actions by how often each was drawn."""
    p = chances_of(case)
    if draws.shape[2] == ACTIONS and _always_one(draws):
        verdict.name("get_action.probabilities")
        return
    if draws.shape[2] != 1:
        verdict.unknown.append(f"one action has {draws.shape[2]} numbers, expected 1")
        return
    values = draws[:, :, 0]
    for numbers, mistake in (
        (p, "get_action.probabilities"),
        (np.log(p), "get_action.log_probability"),
    ):
        if _among(values, numbers):
            verdict.name(mistake)
            return
    if not np.all(values == np.round(values)) or values.min() < -1 or values.max() > ACTIONS:
        verdict.unknown.append(f"{values[0, 0]:.5g} is not the number of an action")
        return
    _judge_frequencies(values.astype(np.int64), p, case, verdict)


def _among(values: np.ndarray, numbers: np.ndarray) -> bool:
    """Tells whether all values of each state are among that state's numbers."""
    distances = np.abs(values[:, :, None] - numbers[:, None, :]).min(2)
    return bool(np.all(distances < 1e-4))


def _judge_frequencies(
    values: np.ndarray, p: np.ndarray, case: PolicyCase, verdict: Judgement
) -> None:
    """Names the distribution that actions came from."""
    counts = np.array([np.bincount(row + 1, minlength=ACTIONS + 2) for row in values])
    inside = counts[:, 1:-1]
    if inside.sum() == counts.sum():
        if surprise(inside, p) < UNLIKELY:
            return
        mistake = source_of(inside, case)
        if mistake:
            verdict.name(mistake)
            return
    for shift in (-1, 1):
        moved = np.roll(counts, -shift, axis=1)
        within = moved[:, 1:-1].sum() == counts.sum()
        if within and surprise(moved[:, 1:-1], p) < UNLIKELY:
            verdict.name("get_action.shifted")
            return
        if surprise(inside, np.roll(p, shift, axis=1)) < UNLIKELY:
            verdict.name("get_action.shifted")
            return
    shares = np.round(inside[0] / DRAWS, 2).tolist()
    verdict.unknown.append(f"actions have frequencies {shares}, expected {np.round(p[0], 2)}")


def _judge_moves(draws: np.ndarray, case: PolicyCase, verdict: Judgement) -> None:
    """Judges continuous actions by their mean, spread and independence."""
    mean = case.mean[:, case.state[:2]].T.astype(np.float64)
    if draws.shape[2] == 1:
        _judge_single_numbers(draws[:, :, 0], case, verdict)
        return
    if draws.shape[2] != COMPONENTS:
        verdict.unknown.append(f"one action has {draws.shape[2]} numbers, expected {COMPONENTS}")
        return
    if not np.any(draws % 1):
        verdict.name("get_action.whole_numbers")
        return
    _judge_moments(draws, mean, case.spread, verdict)
    together = [np.corrcoef(state.T)[np.triu_indices(COMPONENTS, 1)] for state in draws]
    if np.abs(together).min() > ALIKE:
        verdict.name("get_action.noise_shared")


def _judge_moments(
    draws: np.ndarray, mean: np.ndarray, spread: np.ndarray, verdict: Judgement
) -> None:
    """Judges the mean and the spread of each component in each state."""
    seen_mean, seen_spread = draws.mean(1), draws.std(1) + 1e-12
    sigma = np.maximum(seen_spread, spread) / np.sqrt(DRAWS)
    if np.all(np.abs(seen_mean - mean) < SIGMAS * sigma):
        if np.any(np.abs(np.log(seen_spread / spread)) > WIDER):
            verdict.name("get_action.spread")
    elif np.abs(draws).max() <= 1.0:
        verdict.name("get_action.squashed")
    elif np.all(np.abs(seen_mean - mean[::-1]) < SIGMAS * sigma):
        verdict.name("get_action.other_state")
    elif np.all(np.abs(seen_mean[0] - seen_mean[1]) < SIGMAS * np.sqrt(2) * sigma[0]):
        verdict.name("get_action.policy_ignored")
    else:
        verdict.unknown.append(
            f"actions have mean {np.round(seen_mean[0], 2)}, expected {np.round(mean[0], 2)}"
        )


def _judge_single_numbers(values: np.ndarray, case: PolicyCase, verdict: Judgement) -> None:
    """Judges single numbers where several components were asked for."""
    # Minus the entropy is the mean of a sample's log-density, whose variance is d / 2.
    expected = -(np.log(case.spread) + 0.5 * np.log(2 * np.pi * np.e)).sum()
    slack = SIGMAS * np.sqrt(COMPONENTS / 2 / DRAWS)
    means = case.mean[:, case.state[:2]].astype(np.float64)  # (COMPONENTS, 2)
    distances = np.abs(values.mean(1) - means) / (case.spread[:, None] / np.sqrt(DRAWS))
    if np.all(np.abs(values.mean(1) - expected) < slack):
        verdict.name("get_action.log_probability")
    elif np.any(np.all(distances < SIGMAS, axis=1)):
        verdict.name("get_action.one_component")
    else:
        verdict.unknown.append(f"one action has 1 number, expected {COMPONENTS}")

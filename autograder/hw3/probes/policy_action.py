"""Draws actions from a known policy: many at once in two states, and one at a time in a third.

What is drawn is noted only as far as chance leaves it the same: a right form is taken for a wrong
one with a chance below 1e-9 (chi-square and normal tails).
"""

from __future__ import annotations

import contextlib
import functools
import random
from typing import Any

import numpy as np
import torch

from autograder.hw3.policy_case import ACTIONS, DRAWS, STATES, PolicyCase, draw_case
from autograder.hw3.policy_world import KINDS, OneStep, build, first_whole, stand_in
from autograder.probing import Student, guarded

NUMERIC = (torch.Tensor, np.ndarray, np.generic, int, float, list)
REPEATS, NEARLY_EVEN = 20, 2  # of one state, in which all actions are nearly as likely
UNLIKELY = 36.0  # minus log-likelihood ratio; twice it is chi-square, 8 degrees: tail 1e-12
SIGMAS = 6.5  # of means of DRAWS: tail 1e-10
WIDER = 0.3  # of log standard deviations of DRAWS: eight of their own
ALIKE = 0.5  # correlation of components that have nothing to do with each other: ten sigmas


def probe(student: Student, seed: int) -> None:
    """Draws from our distributions; where that crashes, from the own, or with tensors."""
    case = draw_case(seed)
    tensors = functools.partial(own_rollout, student, case, "hands_over_a_tensor")
    first_whole(
        student,
        lambda: play(student, seed, own=False, tensors=False),
        lambda: play(student, seed, own=True, tensors=False),
        lambda: tensors() and play(student, seed, own=False, tensors=True),
    )


def play(student: Student, seed: int, own: bool, tensors: bool) -> bool:
    """Draws both kinds of actions, and tells whether nothing crashed."""
    case = draw_case(seed)
    trials = []
    for kind, discrete in KINDS.items():
        for name, ask in (("many at once", draw_many), ("one at a time", draw_single)):
            for generator in (random.seed, np.random.seed, torch.manual_seed):
                generator(seed)
            how = functools.partial(ask, student, case, discrete, own, tensors)
            trials.append(student.try_out(f"{kind}, {name}", how))
    return not any(trial.crash for trial in trials)


def start(student: Student, case: PolicyCase, discrete: bool, own: bool) -> tuple[Any, list[Any]]:
    """Returns a policy, and a list of what its network will be shown."""
    policy, shown = build(student, case, discrete), []
    network = policy.logits_na if discrete else policy.mean_net
    network.register_forward_pre_hook(lambda _, given: shown.append(given[0].detach().numpy()))
    if not own:
        policy.forward = stand_in(policy, case)
    return policy, shown


def numbers_of(
    answer: Any, shown: list[Any], rows: np.ndarray, size: int, seen: dict[str, Any]
) -> np.ndarray | None:
    """Notes what came back for some rows, and returns its numbers if they are as many as asked."""
    seen["nothing_returned"] = answer is None
    seen["no_action"] = answer is not None and not isinstance(answer, NUMERIC)
    if not isinstance(answer, NUMERIC):
        return None
    seen["policy_ignored"], seen["other_state"] = not shown, False
    if shown:
        states = np.concatenate([array.reshape(-1, STATES) for array in shown])
        same = (states[:, None] == np.unique(rows, axis=0)).all(-1)
        seen["other_state"] = not (same.any(0).all() and same.any(1).all())
    numbers = answer.detach().numpy() if isinstance(answer, torch.Tensor) else np.asarray(answer)
    seen["numbers_per_action"] = numbers.size / len(rows)
    return numbers if seen["numbers_per_action"] == size else None


def draw_many(
    student: Student,
    case: PolicyCase,
    discrete: bool,
    own: bool,
    tensors: bool,
    seen: dict[str, Any],
) -> None:
    """Asks for many actions in each of two states, all at once."""
    policy, shown = start(student, case, discrete, own)
    rows, size = case.observations()[np.repeat([0, 1], DRAWS)], 1 if discrete else len(case.mean)
    answer = policy.get_action(torch.tensor(rows) if tensors else rows.copy())
    numbers = numbers_of(answer, shown, rows, size, seen)
    if numbers is None:
        return
    seen["batch_axis"] = numbers.shape != ((len(rows),) if discrete else (len(rows), size))
    seen["whole_numbers"] = not np.any(numbers % 1)
    if seen["whole_numbers"] != discrete:
        seen["between_0_and_1"] = bool((numbers >= 0).all() and (numbers <= 1).all())
        return
    seen["are_integers"] = numbers.dtype.kind in "iu"
    draws = numbers.reshape(2, DRAWS, size).astype(np.float64)
    seen["by_chance"] = bool(np.ptp(draws, axis=1).max() > 1e-9)
    if not seen["by_chance"]:
        best = case.logits.argmax(0)[:, None] if discrete else case.mean.T
        seen["the_best"] = np.allclose(draws[:, 0], best[case.state[:2]], atol=1e-4)
    elif discrete:
        logits = case.logits[:, case.state[:2]].T.astype(np.float64)
        seen["share_of_each_action"] = shares(draws[:, :, 0].astype(int), logits)
    else:
        look_at_moments(draws, case.mean[:, case.state[:2]].T, case.spread, seen)


def draw_single(
    student: Student,
    case: PolicyCase,
    discrete: bool,
    own: bool,
    tensors: bool,
    seen: dict[str, Any],
) -> None:
    """Asks for one action, again and again; notes what the rollout makes of it, ours or the own."""
    policy, shown = start(student, case, discrete, own)
    row, size = case.observations()[NEARLY_EVEN], 1 if discrete else len(case.mean)
    given = [torch.tensor(row) if tensors else row.copy() for _ in range(REPEATS)]
    answers = [policy.get_action(each) for each in given]
    numbers = numbers_of(answers[0], shown, row[None], size, seen)
    if numbers is None:
        return
    every = [np.ravel(np.asarray(answer)) for answer in answers]
    seen["asked_again_differs"] = any(not np.array_equal(every[0], other) for other in every)
    shape = () if discrete else (size,)
    taken = numbers[0].shape if numbers.ndim else (-1,)
    fits, tensor = taken == shape, isinstance(answers[0], torch.Tensor)
    if not fits or tensor:
        own_fits = own_rollout(student, case, "fits", discrete)
        fits, tensor = fits or own_fits, tensor and not own_fits
    seen["batch_axis"], seen["is_a_tensor"] = not fits, tensor


def own_rollout(student: Student, case: PolicyCase, what: str, discrete: bool = True) -> bool:
    """Tells something of a step that the own rollout takes with the own policy.

    "fits": an action reaches the environment as it should; or "hands_over_a_tensor".
    """
    env = OneStep(case.observations()[0])
    found = {"fits": False, "hands_over_a_tensor": False}
    with (
        contextlib.suppress(BaseException),
        guarded(1.0),
    ):  # whatever is wrong with it, is another's
        policy, _ = start(student, case, discrete, own=False)
        get_action = policy.get_action

        def asked(obs: Any) -> Any:
            found["hands_over_a_tensor"] = isinstance(obs, torch.Tensor)
            return get_action(obs)

        policy.get_action = asked
        student.module("infrastructure.rollouts").sample_trajectory(env, policy, 1)
    action, size = env.action, () if discrete else (len(case.mean),)
    plain = action is not None and not isinstance(action, torch.Tensor)
    found["fits"] = plain and np.asarray(action).shape == size
    return found[what]


def shares(actions: np.ndarray, logits: np.ndarray) -> np.ndarray:
    """Returns the share of each action in each state, then of ACTIONS and -1, which are none.

    Where actions may well have been drawn from one of some distributions, its chances are
    returned, which are the same whatever chance did.
    """
    if actions.min() < -1 or actions.max() > ACTIONS:
        return actions[:, :1].astype(np.float64)
    counts = np.array([np.bincount(row % (ACTIONS + 2), minlength=ACTIONS + 2) for row in actions])
    seen: np.ndarray = counts / DRAWS
    p, powers = torch.tensor(logits).softmax(-1).numpy(), np.exp(logits)
    changed = [p, p[::-1], p[[0, 0]], 0 * p + 1, p**2, np.sqrt(p), np.exp(p)]
    changed += [np.abs(logits), powers / powers.sum(0), np.roll(p, 1, 1), np.roll(p, -1, 1)]
    inside = [np.pad(each / each.sum(1, keepdims=True), ((0, 0), (0, 2))) for each in changed]
    candidates = [*inside, *(np.roll(inside[0], by, 1) for by in (1, -1))]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = [np.where(counts > 0, counts * np.log(seen / each), 0) for each in candidates]
    surprise = [float(ratio.sum()) for ratio in ratios]
    return candidates[int(np.argmin(surprise))] if min(surprise) < UNLIKELY else seen


def look_at_moments(
    draws: np.ndarray, mean: np.ndarray, spread: np.ndarray, seen: dict[str, Any]
) -> None:
    """Notes of continuous actions whether their mean and spread are the policy's."""
    seen["squashed"] = bool(np.abs(draws).max() <= 1.0)
    if seen["squashed"]:
        return
    wide = draws.std(1) + 1e-12
    far = np.abs(draws.mean(1) - mean) * np.sqrt(DRAWS) / np.maximum(wide, spread)
    seen["mean_is_the_policys"] = bool(far.max() < SIGMAS)
    seen["spread_is_the_policys"] = bool(np.abs(np.log(wide / spread)).max() < WIDER)
    pairs = np.triu_indices(len(spread), 1)
    together = [np.corrcoef(state.T)[pairs] for state in draws]
    seen["components_move_together"] = bool(np.abs(together).min() > ALIKE)

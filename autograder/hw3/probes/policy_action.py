"""Draws actions from a known policy: many at once in two states, and one at a time in a third.

What is drawn is noted only as far as chance leaves it the same: a right form is taken for a wrong
one with a chance below 1e-9 (chi-square and normal tails).
"""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import torch

from autograder.hw3 import policy_world as world
from autograder.hw3.policy_world import ACTIONS, DRAWS, KINDS, STATES, PolicyCase, build
from autograder.probing import Student, aside

NUMERIC = (torch.Tensor, np.ndarray, np.generic, int, float, list)
REPEATS, NEARLY_EVEN = 20, 2  # of one state, in which all actions are nearly as likely
UNLIKELY = 36.0  # minus log-likelihood ratio; twice it is chi-square, 8 degrees: tail 1e-12
SIGMAS = 6.5  # of means of DRAWS: tail 1e-10
WIDER = 0.3  # of log standard deviations of DRAWS: eight of their own
ALIKE = 0.5  # correlation of components that have nothing to do with each other: ten sigmas


def probe(student: Student, seed: int) -> None:
    """Draws from our distributions; where that crashes, from the own, or with tensors."""
    case = world.draw_case(seed)

    def ask(draw: Any, discrete: bool, own: bool, tensors: bool, seen: dict[str, Any]) -> None:
        for generator in (random.seed, np.random.seed, torch.manual_seed):
            generator(seed)
        draw(student, case, start(student, case, discrete, own), tensors, seen)

    ways = {
        f"{kind}, {name}": functools.partial(ask, draw, discrete)
        for kind, discrete in KINDS.items()
        for name, draw in (("many at once", draw_many), ("one at a time", draw_single))
    }

    def own_and_tensors() -> Iterator[tuple[bool, bool]]:
        yield False, False
        yield True, False
        if isinstance(own_rollout(student, case)[0], torch.Tensor):
            yield False, True

    student.first_whole(ways, own_and_tensors())


def start(student: Student, case: PolicyCase, discrete: bool, own: bool = False) -> Any:
    """Returns a policy that keeps what its network is shown."""
    policy = build(student, case, discrete)
    policy.shown = []
    network = policy.logits_na if discrete else policy.mean_net
    network.register_forward_pre_hook(lambda _, given: policy.shown.append(given[0].detach()))
    if not own:
        policy.forward = world.stand_in(policy, case)
    return policy


def numbers_of(
    answer: Any, policy: Any, rows: np.ndarray, seen: dict[str, Any]
) -> np.ndarray | None:
    """Notes what came back for some rows, and returns its numbers if they are as many as asked."""
    seen["nothing_returned"] = answer is None
    seen["no_action"] = answer is not None and not isinstance(answer, NUMERIC)
    if not isinstance(answer, NUMERIC):
        return None
    seen["policy_ignored"], seen["other_state"] = not policy.shown, False
    if policy.shown:
        states = np.concatenate([tensor.numpy().reshape(-1, STATES) for tensor in policy.shown])
        same = (states[:, None] == np.unique(rows, axis=0)).all(-1)
        seen["other_state"] = not (same.any(0).all() and same.any(1).all())
    numbers = answer.detach().numpy() if isinstance(answer, torch.Tensor) else np.asarray(answer)
    seen["numbers_per_action"] = numbers.size / len(rows)
    return numbers if numbers.size == len(rows) * size_of(policy) else None


def size_of(policy: Any) -> int:
    """Returns how many numbers an action has."""
    return 1 if policy.discrete else len(policy.logstd)


def draw_many(
    student: Student, case: PolicyCase, policy: Any, tensors: bool, seen: dict[str, Any]
) -> None:
    """Asks for many actions in each of two states, all at once."""
    rows, discrete = case.observations()[np.repeat([0, 1], DRAWS)], policy.discrete
    answer = policy.get_action(torch.tensor(rows) if tensors else rows.copy())
    numbers = numbers_of(answer, policy, rows, seen)
    if numbers is None:
        return
    size = size_of(policy)
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
    student: Student, case: PolicyCase, policy: Any, tensors: bool, seen: dict[str, Any]
) -> None:
    """Asks for one action, again and again; notes what the rollout makes of it, ours or the own."""
    row = case.observations()[NEARLY_EVEN]
    given = [torch.tensor(row) if tensors else row.copy() for _ in range(REPEATS)]
    answers = [policy.get_action(each) for each in given]
    numbers = numbers_of(answers[0], policy, row[None], seen)
    if numbers is None:
        return
    every = [np.ravel(np.asarray(answer)) for answer in answers]
    seen["asked_again_differs"] = any(not np.array_equal(every[0], other) for other in every)
    shape = () if policy.discrete else (size_of(policy),)
    taken = numbers[0].shape if numbers.ndim else (-1,)
    fits, tensor = taken == shape, isinstance(answers[0], torch.Tensor)
    if not fits or tensor:
        _, action = own_rollout(student, case, policy.discrete)
        plain = action is not None and not isinstance(action, torch.Tensor)
        own_fits = plain and np.shape(action) == shape
        fits, tensor = fits or own_fits, tensor and not own_fits
    seen["batch_axis"], seen["is_a_tensor"] = not fits, tensor


def own_rollout(student: Student, case: PolicyCase, discrete: bool = True) -> tuple[Any, Any]:
    """Returns what the own rollout shows the own policy, and the action it takes, in one step."""
    obs, env, shown = case.observations()[0], MagicMock(), dict[str, Any]()
    env.reset.return_value, env.step.return_value = (obs, {}), (obs, 0.0, True, False, {})
    with aside():
        policy = start(student, case, discrete)
        get_action = policy.get_action
        policy.get_action = lambda obs: get_action(shown.setdefault("obs", obs))
        student.module("infrastructure.rollouts").sample_trajectory(env, policy, 1)
    return shown.get("obs"), env.step.call_args.args[0] if env.step.called else None


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

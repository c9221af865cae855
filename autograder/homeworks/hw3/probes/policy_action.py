"""Draws actions from a known policy: many at once in two states, and one at a time in a third."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from autograder.homeworks.hw3.fakes import policy as fake
from autograder.homeworks.hw3.fakes.policy import ACTIONS, DRAWS, PolicyCase
from autograder.homeworks.hw3.fakes.policy_neighbours import own_rollout
from autograder.running import draws
from autograder.running.probing import Student

NUMERIC = (torch.Tensor, np.ndarray, np.generic, int, float, list)
NEARLY_EVEN = 2  # the state in which all actions are nearly as likely
FEW, MANY = 60, 600  # calls; after many, choices are alike if a temperature falls slowly
Form = tuple[bool, bool]  # whether the distribution is the student's own; whether it asks tensors


@dataclass(frozen=True)
class Asked:
    """A policy, and whether many actions are asked for at once, or one at a time."""

    case: PolicyCase
    many: bool
    seed: int


def cases(seed: int) -> Mapping[str, Asked]:
    """Returns what is asked for: both kinds of actions, in both ways."""
    found = dict[str, Asked]()
    for kind, case in fake.kinds(fake.draw_case(seed)).items():
        found[f"{kind}, many at once"] = Asked(case, True, seed)
        found[f"{kind}, one at a time"] = Asked(case, False, seed)
    return found


def forms(student: Student) -> Iterator[Form]:
    """Yields our distributions; the own ones; and tensors, where the own rollout shows them."""
    yield False, False
    yield True, False
    if isinstance(own_rollout(student, fake.draw_case(0))[0], torch.Tensor):
        yield False, True


def observe(student: Student, asked: Asked, form: Form = (False, False)) -> dict[str, Any]:
    """Returns of actions only what chance leaves the same."""
    own, tensors = form
    draws.seed_generators(asked.seed)
    case, policy = asked.case, fake.build_watched(student, asked.case, own)
    rows = case.observations()[np.repeat([0, 1], DRAWS) if asked.many else [NEARLY_EVEN]]
    answers = []
    calls = MANY if case.discrete and not any(form) else FEW
    for _ in range(1 if asked.many else calls):
        obs: Any = student.lend({"obs": rows if asked.many else rows[0]})["obs"]
        answers.append(policy.get_action(torch.from_numpy(obs) if tensors else obs))
    answer = answers[0]
    record: dict[str, Any] = {
        "nothing_returned": answer is None,
        "no_action": answer is not None and not isinstance(answer, NUMERIC),
    }
    if not isinstance(answer, NUMERIC):
        return record
    record["policy_ignored"], record["other_state"] = (
        not policy.shown,
        fake.other_state(policy, rows),
    )
    numbers = answer.detach().numpy() if isinstance(answer, torch.Tensor) else np.asarray(answer)
    record["numbers_per_action"] = numbers.size / len(rows)
    if numbers.size != len(rows) * case.size:
        return record
    return record | (many(case, numbers) if asked.many else single(student, case, answers, numbers))


def many(case: PolicyCase, numbers: np.ndarray) -> dict[str, Any]:
    """Returns what many actions in each of two states show."""
    row = () if case.discrete else (case.size,)
    whole = not np.any(numbers % 1)
    record: dict[str, Any] = {
        "batch_axis": numbers.shape != (2 * DRAWS, *row),
        "whole_numbers": whole,
    }
    if whole != case.discrete:
        record["between_0_and_1"] = bool((numbers >= 0).all() and (numbers <= 1).all())
        return record
    record["are_integers"] = numbers.dtype.kind in "iu"
    drawn = numbers.reshape(2, DRAWS, case.size).swapaxes(0, 1).astype(np.float64)
    record["by_chance"] = bool(np.ptp(drawn, axis=0).max() > 1e-9)
    best = case.logits.argmax(0)[None] if case.discrete else case.mean
    if not record["by_chance"]:
        record["the_best"] = np.allclose(drawn[0], best[:, case.state[:2]].T, atol=1e-4)
    elif case.discrete:
        logits = case.logits[:, case.state[:2]].T.astype(np.float64)
        record["share_of_each_action"] = shares(drawn[:, :, 0].T.astype(int), logits)
    elif np.abs(drawn).max() <= 1.0:
        record["squashed"] = True
    else:
        mean = case.mean[:, case.state[:2]].T
        record["squashed"] = False
        record["mean_is_the_policys"] = draws.mean_is(drawn, mean, case.spread)
        record["spread_is_the_policys"] = draws.spread_is(drawn, case.spread)
        record["components_move_together"] = any(map(draws.moves_together, drawn.swapaxes(0, 1)))
    return record


def shares(actions: np.ndarray, logits: np.ndarray) -> np.ndarray:
    """Returns the share of each action in each state, then of ACTIONS and -1, which are none.

    Where actions may well have been drawn from one of some distributions, its chances are returned.
    """
    if actions.min() < -1 or actions.max() > ACTIONS:
        return actions[:, :1].astype(np.float64)
    counts = np.array([np.bincount(row % (ACTIONS + 2), minlength=ACTIONS + 2) for row in actions])
    p, powers = torch.tensor(logits).softmax(-1).numpy(), np.exp(logits)
    changed = [p, p[::-1], p[[0, 0]], 0 * p + 1, p**2, np.sqrt(p), np.exp(p)]
    changed += [np.abs(logits), powers / powers.sum(0), np.roll(p, 1, 1), np.roll(p, -1, 1)]
    inside = [np.pad(each / each.sum(1, keepdims=True), ((0, 0), (0, 2))) for each in changed]
    return draws.explained(counts, [*inside, *(np.roll(inside[0], by, 1) for by in (1, -1))])


def varies(answers: Sequence[np.ndarray]) -> bool:
    """Returns whether not all answers are the same."""
    return any(not np.array_equal(answers[0], other) for other in answers)


def parts_of(answers: Sequence[np.ndarray]) -> Iterator[Sequence[np.ndarray]]:
    """Yields every second, third and fourth answer, from each of the first on; and the last."""
    for step in (2, 3, 4):
        yield from (answers[first::step] for first in range(step))
    yield answers[-FEW:]


def single(
    student: Student, case: PolicyCase, answers: list[Any], numbers: np.ndarray
) -> dict[str, Any]:
    """Returns what the answers to one state show, and what a rollout makes of them."""
    every = [np.ravel(np.asarray(answer)) for answer in answers]
    shape = () if case.discrete else (case.size,)
    fits = numbers.ndim > 0 and numbers[0].shape == shape
    tensor = isinstance(answers[0], torch.Tensor)
    if not fits or tensor:  # the own rollout may see to that
        _, action = own_rollout(student, case)
        plain = action is not None and not isinstance(action, torch.Tensor)
        own_fits = plain and np.shape(action) == shape
        fits, tensor = fits or own_fits, tensor and not own_fits
    return {
        "asked_again_differs": varies(every),
        "some_calls_always_alike": varies(every) and not all(map(varies, parts_of(every))),
        "batch_axis": not fits,
        "is_a_tensor": tensor,
    }

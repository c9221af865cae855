"""In Python because it compares shares of random draws: actions of a policy that is known.

Many are drawn at once in two states, and one at a time in a third.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from autograder.homeworks.hw3.fakes.policy import over_table
from autograder.running import draws
from autograder.running.probing import Student

STATES, ACTIONS, COMPONENTS = 7, 5, 3
DRAWS = 400  # actions in each of two states
FEW, MANY = 60, 600  # calls; after many, choices are alike if a temperature falls slowly
NUMERIC = (torch.Tensor, np.ndarray, np.generic, int, float, list)


@dataclass(frozen=True)
class Asked:
    """Tables with a column for each state, and whether many actions are asked for at once."""

    logits: np.ndarray  # (ACTIONS, STATES)
    mean: np.ndarray  # (COMPONENTS, STATES)
    spread: np.ndarray  # (COMPONENTS,)
    scale: np.ndarray  # (STATES,) each state's number where one-hot vectors have 1
    discrete: bool
    many: bool
    seed: int

    @property
    def size(self) -> int:
        """How many numbers an action has."""
        return 1 if self.discrete else COMPONENTS


def tables(seed: int) -> dict[str, np.ndarray]:
    """Draws a policy.

    In the first two states one action is much likelier than the others; these two are two apart,
    so a shifted action is no action of the other state. In all others actions are nearly as likely.
    Means lie beyond 1 with both signs, and spreads differ. What is observed there is neither
    clipped nor cut at 0.
    """
    rng = np.random.default_rng([285, 35, seed])
    chances = [np.roll([0.76, 0.03, 0.10, 0.07, 0.04], 2 * which + seed) for which in range(2)]
    others = rng.uniform(0.0, 0.05, (ACTIONS, STATES - 2))
    others[rng.permutation(ACTIONS), range(STATES - 2)] += 0.1
    logits = np.column_stack([*np.log(chances), others])
    logits[:, :2] += rng.uniform(-0.05, 0.05, (ACTIONS, 2))
    mean = rng.uniform(-2.0, 2.0, (COMPONENTS, STATES))
    sign = rng.choice([-1.0, 1.0], COMPONENTS)
    mean[:, :2] = rng.uniform(1.3, 2.0, (2, COMPONENTS)).T * np.outer(sign, [1, -1])
    scale = rng.uniform(0.4, 2.6, STATES) * rng.permuted(np.resize([1, -1], STATES))
    scale[:2] = rng.permutation([1.7, -1.6])
    spread = rng.permutation([0.5, 1.1, 1.8]) + rng.uniform(-0.05, 0.05, COMPONENTS)
    found = {"logits": logits, "mean": mean, "scale": scale}
    return {name: array.astype(np.float32) for name, array in found.items()} | {"spread": spread}


def cases(seed: int) -> Mapping[str, Asked]:
    """Returns what is asked for: both kinds of actions, in both ways."""
    return {
        f"{kind}, {how}": Asked(
            **tables(seed), discrete=kind == "discrete", many=how == "many at once", seed=seed
        )
        for kind in ("discrete", "continuous")
        for how in ("many at once", "one at a time")
    }


def observe(student: Student, case: Asked) -> dict[str, Any]:
    """Returns of actions only what chance leaves the same."""
    draws.seed_generators(case.seed)
    table, shown = case.logits if case.discrete else case.mean, list[np.ndarray]()
    made = student.module("policies.MLP_policy").MLPPolicyAC
    policy: Any = made(len(table), STATES, 2, 13, case.discrete, 0.01)
    over_table(policy, table / case.scale, case.spread)
    network = policy.logits_na if case.discrete else policy.mean_net
    network.register_forward_pre_hook(lambda _, given: shown.append(given[0].detach().numpy()))
    rows = np.diag(case.scale)[np.repeat([0, 1], DRAWS) if case.many else [2]]
    calls = 1 if case.many else MANY if case.discrete else FEW
    asked = [(rows if case.many else rows[0]).copy() for _ in range(calls)]
    answers = [policy.get_action(obs) for obs in asked]
    answer = answers[0]
    record: dict[str, Any] = {
        "inputs_changed": any((obs != rows).any() for obs in asked),
        "nothing_returned": answer is None,
        "no_action": answer is not None and not isinstance(answer, NUMERIC),
    }
    if not isinstance(answer, NUMERIC):
        return record
    record["policy_ignored"], record["other_state"] = not shown, other_state(shown, rows)
    numbers = answer.detach().numpy() if isinstance(answer, torch.Tensor) else np.asarray(answer)
    record["numbers_per_action"] = numbers.size / len(rows)
    if numbers.size != len(rows) * case.size:
        return record
    return record | (many(case, numbers) if case.many else single(case, answers, numbers))


def other_state(shown: Sequence[np.ndarray], rows: np.ndarray) -> bool:
    """Returns whether a network was shown other states than those asked about."""
    if not shown:
        return False
    states = np.concatenate([array.reshape(-1, STATES) for array in shown])
    same = (states[:, None] == np.unique(rows, axis=0)).all(-1)
    return not (same.any(0).all() and same.any(1).all())


def many(case: Asked, numbers: np.ndarray) -> dict[str, Any]:
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
    if not record["by_chance"]:
        best = case.logits.argmax(0)[None] if case.discrete else case.mean
        record["the_best"] = np.allclose(drawn[0], best[:, :2].T, atol=1e-4)
    elif case.discrete:
        logits = case.logits[:, :2].T.astype(np.float64)
        record["share_of_each_action"] = shares(drawn[:, :, 0].T.astype(int), logits)
    elif np.abs(drawn).max() <= 1.0:
        record["squashed"] = True
    else:
        record["squashed"] = False
        record["mean_is_the_policys"] = draws.mean_is(drawn, case.mean[:, :2].T, case.spread)
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


def single(case: Asked, answers: list[Any], numbers: np.ndarray) -> dict[str, Any]:
    """Returns what the answers to one state show."""
    every = [np.ravel(np.asarray(answer)) for answer in answers]
    return {
        "asked_again_differs": varies(every),
        "some_calls_always_alike": varies(every) and not all(map(varies, parts_of(every))),
        "batch_axis": numbers.shape != ((1,) if case.discrete else (1, case.size)),
        "is_a_tensor": isinstance(answers[0], torch.Tensor),
    }


def varies(answers: Sequence[np.ndarray]) -> bool:
    """Returns whether not all answers are the same."""
    return any(not np.array_equal(answers[0], other) for other in answers)


def parts_of(answers: Sequence[np.ndarray]) -> Iterator[Sequence[np.ndarray]]:
    """Yields every second, third and fourth answer, from each of the first on; and the last."""
    for step in (2, 3, 4):
        yield from (answers[first::step] for first in range(step))
    yield answers[-FEW:]

"""Lets D3RB choose. In Python because it searches for the number at which a choice turns.

Bounds differ, some are alike, some arms have never played. How ties are broken does not matter: of
arms that are alike in all, the first is noted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.homeworks.hw6.fakes.rules import turn
from autograder.running.probing import Student, number_in

TURNS, FEW = 4, 8  # states, and draws: who draws uniformly hardly ever draws one arm alone
ARMS, STATES, DRAWS = 5, 6, 60
LARGE = 2000.0  # a guess that makes no arm's bound the smallest


@dataclass(frozen=True)
class States:
    """Guesses and plays: a row for each state."""

    d_nk: np.ndarray
    plays_nk: np.ndarray


@dataclass(frozen=True)
class Turns:
    """Plays of three arms, and the guess of the second; the first one's is searched for."""

    plays_nk: np.ndarray
    rest_n: np.ndarray


def cases(seed: int) -> Mapping[str, States | Turns]:
    """Returns what is tried."""
    rng = np.random.default_rng([285, 65, seed])
    guess = 2.0 ** rng.integers(0, 4, (STATES, ARMS)) * rng.uniform(0.9, 1.1, (STATES, ARMS))
    plays = rng.integers(2, 60, (STATES, ARMS)).astype(np.float64)
    close = np.round(3000 / guess**2 * rng.uniform(0.5, 2.0, plays.shape))
    few = plays[:4] * (rng.permuted(np.tile([0, 0, 1, 1, 1], (4, 1)), axis=1))
    tied = rng.permutation(ARMS)[None]
    first = np.append(rng.integers(1, 9, (TURNS, 2)), np.full((TURNS, 1), 500.0), axis=1)
    return {
        "any bounds": States(guess, plays),
        "bounds nearly alike": States(guess, close),
        "some never played": States(np.where(few > 0, guess[:4], 1.0), few),
        "played once or never": States(np.ones((1, ARMS)), np.sign(few[:1])),
        "three alike": States(np.where(tied < 3, 1.5, 6.0), np.where(tied < 3, 9.0, 4.0)),
        "one arm": States(guess[:1, :1], plays[:1, :1]),
        "where the choice turns": Turns(first, rng.uniform(0.5, 2.0, TURNS)),
    }


def observe(student: Student, case: States | Turns) -> dict[str, Any]:
    """Asks in each state, many times."""
    rule: Any = student.module("agents.selectors").D3RB(case.plays_nk.shape[1], 0)
    return asked(rule, case) if isinstance(case, States) else turns(rule, case)


def asked(rule: Any, case: States) -> dict[str, Any]:
    """Returns which arms are chosen, a row for each state; the last entry: what is no arm."""
    rows, changed = [], []
    for d_k, plays_k in zip(case.d_nk, case.plays_nk, strict=True):
        rule.d_k, rule.plays_k = d_k.copy(), plays_k.copy()
        rule.total_k = plays_k * np.linspace(0.7, 0.3, len(d_k))
        arms = chosen(rule, DRAWS)
        for k in np.flatnonzero(arms[:-1]):
            arms[k] = False
            arms[np.flatnonzero((d_k == d_k[k]) & (plays_k == plays_k[k]))[0]] = True
        rows.append(arms)
        same = np.array_equal(rule.d_k, d_k) and np.array_equal(rule.plays_k, plays_k)
        changed.append(not same)
    return {"which arms are chosen": np.array(rows), "state_changed": any(changed)}


def turns(rule: Any, case: Turns) -> dict[str, Any]:
    """Returns up to which guess the first arm is chosen; the last has the largest bound."""
    found = []
    for plays_k, rest in zip(case.plays_nk, case.rest_n, strict=True):
        rule.plays_k = plays_k.copy()
        rule.total_k = plays_k * [0.1, 0.9, 0.5]

        def first(guess: float, rest: float = rest) -> bool:
            rule.d_k = np.array([guess, rest, LARGE])
            return not chosen(rule, FEW)[1:].any()

        found.append(turn(first))
    return {"largest guess with which an arm is chosen": np.array(found)}


def chosen(rule: Any, draws: int) -> np.ndarray:
    """Returns which arms a rule chooses in some draws; the last entry: whether anything else."""
    found = np.zeros(rule.num_arms + 1, np.bool_)
    for _ in range(draws):
        arm = number_in(rule.choose())
        found[int(arm) if arm in range(rule.num_arms) else -1] = True
    return found

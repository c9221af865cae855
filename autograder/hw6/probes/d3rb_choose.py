"""Lets D3RB choose: where bounds differ, where some are alike, where arms have never played.

How ties are broken is nobody's mistake: of arms that are alike in all, the first is noted.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from autograder.hw6.rule_case import chosen, turn
from autograder.probing import Student

TURNS, FEW = 4, 8  # states, and draws: who draws uniformly hardly ever draws one arm alone
ARMS, STATES, DRAWS = 5, 6, 60
State = tuple[np.ndarray, np.ndarray]
"""Guesses and plays."""


def states(seed: int) -> dict[str, list[State]]:
    """Returns what is tried."""
    rng = np.random.default_rng([285, 65, seed])
    guess = 2.0 ** rng.integers(0, 4, (STATES, ARMS)) * rng.uniform(0.9, 1.1, (STATES, ARMS))
    plays = rng.integers(2, 60, (STATES, ARMS)).astype(np.float64)
    close = np.round(3000 / guess**2 * rng.uniform(0.5, 2.0, plays.shape))
    few = plays[:4] * (rng.permuted(np.tile([0, 0, 1, 1, 1], (4, 1)), axis=1))
    few_guess = np.where(few > 0, guess[:4], 1.0)
    tied = rng.permutation(ARMS)
    same, nine = np.where(tied < 3, 1.5, 6.0), np.where(tied < 3, 9.0, 4.0)
    return {
        "any bounds": list(zip(guess, plays, strict=True)),
        "bounds nearly alike": list(zip(guess, close, strict=True)),
        "some never played": list(zip(few_guess, few, strict=True)),
        "played once or never": [(np.ones(ARMS), np.sign(few[0]))],
        "three alike": [(same, nine)],
        "one arm": [(guess[0, :1], plays[0, :1])],
    }


def probe(student: Student, seed: int) -> None:
    """Asks in each state, many times."""
    for name, some in states(seed).items():
        student.try_out(name, functools.partial(ask, student, seed, some))
    student.try_out("where the choice turns", functools.partial(turns, student, seed))


def turns(student: Student, seed: int, seen: dict[str, Any]) -> None:
    """Notes up to which guess the first of three arms is chosen; the last has the largest bound."""
    selectors: Any = student.module("infrastructure.selectors")
    rng = np.random.default_rng([285, 74, seed])
    found = []
    for _ in range(TURNS):
        rule = selectors.D3RB(3, seed)
        rule.plays_k = np.append(rng.integers(1, 9, 2), 500.0)
        rule.total_k = rule.plays_k * [0.1, 0.9, 0.5]
        rest = rng.uniform(0.5, 2.0)

        def first(guess: float, rule: Any = rule, rest: float = rest) -> bool:
            rule.d_k = np.array([guess, rest, 2000.0])
            return bool(chosen(rule, FEW)[[1, 2, 3]].sum() == 0)

        found.append(turn(first))
    seen["largest guess with which an arm is chosen"] = np.array(found)


def ask(student: Student, seed: int, some: list[State], seen: dict[str, Any]) -> None:
    """Notes which arms are chosen, a row for each state; the last entry: what is no arm."""
    selectors: Any = student.module("infrastructure.selectors")
    rows, changed = [], False
    for d_k, plays_k in some:
        rule = selectors.D3RB(len(d_k), seed)
        rule.d_k, rule.plays_k = d_k.copy(), plays_k.copy()
        rule.total_k = plays_k * np.linspace(0.7, 0.3, len(d_k))
        first = [
            np.flatnonzero((d_k == d) & (plays_k == n))[0]
            for d, n in zip(d_k, plays_k, strict=True)
        ]
        arms = chosen(rule, DRAWS)
        rows.append(np.append(np.bincount(first, arms[:-1], len(d_k)) > 0, arms[-1]))
        changed |= not (np.array_equal(rule.d_k, d_k) and np.array_equal(rule.plays_k, plays_k))
    seen["which arms are chosen"] = np.array(rows)
    seen["state_changed"] = changed

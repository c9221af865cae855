"""Lets arms of D3RB play. In Python because it searches for the guess at which doubling begins."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from autograder.homeworks.hw6.fakes.rules import turn
from autograder.running.experiments import note_row
from autograder.running.guard import MOST_SECONDS, guarded
from autograder.running.probing import Student

STATES, ARMS = 12, 4
SMALL, LARGE = 0.002, 200.0  # guesses that nearly anything contradicts, and that nothing does


class State(NamedTuple):
    """What is known before an arm plays, and its score."""

    plays_k: np.ndarray
    mean_k: np.ndarray
    d_k: np.ndarray
    arm: int
    x: float


def cases(seed: int) -> Mapping[str, Sequence[State]]:
    """Returns what is tried; mostly the arm that plays looks worse than another."""
    rng = np.random.default_rng([285, 66, seed])

    def drawn(most: float, unplayed: float = 0.0, arms: int = ARMS, own: float = 0.0) -> State:
        plays_k = np.ceil(np.exp(rng.uniform(1.5, np.log(most), arms)))
        plays_k[rng.random(arms) < unplayed] = 0.0
        arm, mean_k = int(rng.integers(arms)), rng.uniform(0.3, 1.0, arms)
        mean_k[arm] = own + rng.uniform(0.0, 0.5)
        if unplayed:
            plays_k[arm] *= rng.random() < 0.5
        return State(plays_k, mean_k, rng.uniform(0.5, 2.0, arms), arm, float(rng.uniform(0, 0.3)))

    def with_a_bad_one() -> State:
        """An arm that began badly, of which hardly anything is known for certain."""
        state = drawn(300, arms=3)
        other = (state.arm + 1) % 3
        state.plays_k[other], state.mean_k[other] = 1.0, 0.0
        return state

    return {
        "few plays": [drawn(40) for _ in range(STATES)],
        "many plays": [drawn(4000) for _ in range(STATES)],
        "some never played": [drawn(900, unplayed=0.5) for _ in range(2 * STATES)],
        "a good arm plays": [drawn(300, own=0.4) for _ in range(STATES)],
        "two arms": [drawn(300, arms=2) for _ in range(STATES)],
        "one arm": [drawn(300, arms=1) for _ in range(3)],
        "another began badly": [with_a_bad_one() for _ in range(STATES)],
    }


def observe(student: Student, states: Sequence[State]) -> dict[str, Any]:
    """Notes of each state up to which guess it is doubled, and by what guesses are multiplied."""
    selectors: Any = student.module("agents.selectors")

    def doubled(state: State, guess: float) -> bool:
        return bool((played(selectors, state, guess)[1] != 1).any())

    with guarded(MOST_SECONDS):
        for state in states:
            _, by_small = played(selectors, state, SMALL)
            rule, by_large = played(selectors, state, LARGE)
            row = {
                "largest guess that is doubled": turn(functools.partial(doubled, state)),
                "what each d_k is multiplied by, for a small guess": by_small,
                "what each d_k is multiplied by, for a large guess": by_large,
                "sums of plays_k and of total_k": [rule.plays_k.sum(), rule.total_k.sum()],
            }
            note_row(student, row)
    return {}


def played(selectors: Any, state: State, guess: float) -> tuple[Any, np.ndarray]:
    """Returns a rule after the play, and by what its guesses were multiplied."""
    rule = selectors.D3RB(len(state.plays_k), 0)
    before = state.d_k.copy()
    before[state.arm] = guess
    rule.plays_k, rule.d_k = state.plays_k.copy(), before.copy()
    rule.total_k = state.plays_k * state.mean_k
    rule.update(state.arm, state.x)
    return rule, np.asarray(rule.d_k, np.float64) / before

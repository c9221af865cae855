"""Asks for q-values of several paths, with and without reward-to-go, and again of others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from autograder.homeworks.hw2.fakes import pg
from autograder.running.probing import Student, plain_array

RESULTS = "q-values"
LENGTHS = (4, 1, 5, 3)


@dataclass(frozen=True)
class Paths:
    """The rewards of some paths, end to end, and how an action is credited with them."""

    reward_n: np.ndarray
    lengths: tuple[int, ...]
    discount: float
    settings: Mapping[str, Any]


def cases(seed: int) -> Mapping[str, Paths]:
    """Returns what is tried, by both values of the flag; a baseline must change nothing here."""
    rng = np.random.default_rng([285, 53, seed])
    reward_n = rng.uniform(0.3, 1.7, sum(LENGTHS)) * rng.permutation(np.resize([1, 1, -1], 13))
    discount = float(rng.uniform(0.6, 0.8))
    every = {}
    for to_go, name in ((True, "reward-to-go"), (False, "whole returns")):
        usual = Paths(reward_n, LENGTHS, discount, {"reward_to_go": to_go})
        more = {**usual.settings, "nn_baseline": True, "standardize_advantages": True}
        every |= {
            name: usual,
            f"{name}, large": replace(usual, reward_n=300 * reward_n[::-1]),
            f"{name}, undiscounted": replace(usual, discount=1.0),
            f"{name}, discount of 0": replace(usual, discount=0.0),
            f"{name}, one path": replace(usual, lengths=(sum(LENGTHS),), settings=more),
        }
    return every


def observe(student: Student, case: Paths) -> dict[str, Any]:
    """Returns q-values, and those of other paths, which come in the same arrays."""
    agent = pg.build(student, discount=case.discount, **case.settings)
    paths = np.split(case.reward_n.copy(), np.cumsum(case.lengths)[:-1])
    found, changed = [], False
    with pg.right_sums(student):
        for reward_n in (case.reward_n, case.reward_n[::-1] + 1):
            for path, its in zip(paths, np.split(reward_n, np.cumsum(case.lengths)[:-1]), strict=True):
                path[:] = its
            found.append(plain_array(agent.calculate_q_vals(paths)))
            changed |= not np.array_equal(np.concatenate(paths), reward_n)
    return {"q-values": found[0], "q-values of other paths": found[1], "rewards_changed": changed}

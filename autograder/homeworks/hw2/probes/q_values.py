"""Asks for q-values of several paths, with and without reward-to-go, and again of others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from autograder.homeworks.hw2.fakes import pg
from autograder.homeworks.hw2.fakes.pg import Steps
from autograder.running.probing import Student, plain_array

RESULTS = "q-values"


def cases(seed: int) -> Mapping[str, Steps]:
    """Returns what is tried, by both values of the flag; a baseline must change nothing here."""
    every, drawn = dict[str, Steps](), pg.steps(seed, 0.7)
    more = dict.fromkeys(("nn_baseline", "standardize_advantages"), True)
    for to_go, name in ((True, "reward-to-go"), (False, "whole returns")):
        usual = replace(drawn, settings={"reward_to_go": to_go})
        every |= {
            name: usual,
            f"{name}, large": replace(usual, reward_n=300 * usual.reward_n),
            f"{name}, undiscounted": replace(usual, discount=1.0),
            f"{name}, short-sighted": replace(usual, discount=0.05),
            f"{name}, with a baseline": replace(usual, settings={**usual.settings, **more}),
        }
    return every


def observe(student: Student, case: Steps) -> dict[str, Any]:
    """Returns q-values, then those of other paths in the same arrays, and of one path alone."""
    agent = pg.build(student, discount=case.discount, **case.settings)
    rows, found, changed = case.reward_n.copy(), [], False
    paths = pg.by_path(rows)
    with pg.right_sums(student):
        for contents, number in ((case.reward_n, 4), (case.reward_n[::-1] + 1, 4), (rows + 1, 1)):
            rows[:] = contents.copy()
            before = rows.copy()
            found.append(plain_array(agent.calculate_q_vals(paths[:number])))
            changed |= not np.array_equal(rows, before)
    names = ("q-values", "q-values of other paths", "q-values of one path")
    return {**dict(zip(names, found, strict=True)), "rewards_changed": changed}

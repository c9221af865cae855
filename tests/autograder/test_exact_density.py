"""What SAC's density is judged by agrees with exact numbers, and right forms in float32 meet it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from autograder.base.close import ABS, REL
from autograder.misconceptions.catalogue import Question
from autograder.misconceptions.search import oracle_for
from autograder.running.declared import load

QUESTION = Question("hw4.squashed.log_prob", "squashed_log_prob")
PROBE = load("autograder.homeworks.hw4.probes.squashed_log_prob")
SEEDS = (0, 1, 1000)


def exact(case: Any) -> np.ndarray:
    """The equation in float64, with log(1 - tanh(u)^2) = log 4 - 2 |u| - 2 log(1 + e^(-2 |u|))."""
    u, noise, log_std = (x.astype(np.float64) for x in (case.u_na, case.noise_na, case.log_std_na))
    gaussian = -(noise**2) / 2 - log_std - math.log(2 * math.pi) / 2
    slope = math.log(4) - 2 * abs(u) - 2 * np.log1p(np.exp(-2 * abs(u)))
    density: np.ndarray = (gaussian - slope).sum(1)
    return density


@pytest.mark.parametrize("seed", SEEDS)
def test_the_numbers_that_decide_are_exact(seed: int) -> None:
    oracle = oracle_for(QUESTION, seed)
    for name, case in PROBE.cases(seed).items():
        ours = oracle.right.arrays[f"{name}/log_prob_n"]
        np.testing.assert_allclose(ours, exact(case), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_right_forms_err_by_less_than_the_tolerance(seed: int) -> None:
    forms = oracle_for(QUESTION, seed).group(0)
    assert len(forms) > 4
    for name, case in PROBE.cases(seed).items():
        right = exact(case)
        for form in forms:
            error = abs(form.arrays[f"{name}/log_prob_n"] - right)
            assert (error < (REL * abs(right) + ABS) / 20).all(), name

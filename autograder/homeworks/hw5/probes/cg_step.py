"""Solves linear equations in float64: after each number of steps, and where one step is enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from autograder.homeworks.hw5.fakes.calls import finite
from autograder.running.probing import Student

SIZE, MANY = 5, 20


@dataclass(frozen=True)
class Equations:
    """H, symmetric and positive definite, the right side, and how many steps are allowed."""

    matrix: np.ndarray
    b: np.ndarray
    num_steps: int


def cases(seed: int) -> Mapping[str, Equations]:
    """Returns what is tried: few steps and many, sizes from small to large, nothing to solve."""
    rng = np.random.default_rng([285, 96, seed])
    turned = (np.linalg.qr(rng.normal(size=(size, size)))[0] for size in (SIZE, MANY))
    small, large = ((q * np.geomspace(0.4, 4.0, len(q))) @ q.T for q in turned)
    b = rng.uniform(0.3, 1.7, SIZE) * np.resize([1, -1, -1], SIZE)
    usual = Equations(small, b, 2)
    steps = {f"{number} steps": replace(usual, num_steps=number) for number in (0, 1, 3, 4)}
    return {
        "2 steps": usual,
        **steps,
        "20 unknowns": Equations(large, rng.normal(size=MANY), 8),
        "a right side of hundreds": replace(usual, b=300 * b, num_steps=3),
        "more steps than needed": replace(usual, matrix=np.diag([1.0, 1, 3, 3, 3]), num_steps=25),
        "one step is enough": replace(usual, matrix=3.0 * np.eye(SIZE), num_steps=4),
        "one unknown": Equations(np.array([[2.5]]), b[:1], 3),
        "a right side of zeros": replace(usual, b=0 * b),
    }


def observe(student: Student, case: Equations) -> dict[str, Any]:
    """Returns the solution, and how many products it took; other equations come before."""
    conjugate_gradient = student.module("agents.trpo_agent").conjugate_gradient
    matrix, b, asked = torch.as_tensor(case.matrix), torch.tensor(case.b), 0

    def product(vector: torch.Tensor) -> torch.Tensor:
        nonlocal asked
        asked += 1
        return matrix.mv(vector)

    conjugate_gradient(lambda vector: 2 * vector, 1 - b, 2)
    x = conjugate_gradient(product, b, case.num_steps)
    return finite({"x": x, "the number of products": asked})

"""The numbers by which homework 5 is judged are the exact ones: from other ways to compute them."""

from __future__ import annotations

import numpy as np
import torch
from torch import distributions
from torch.autograd.functional import hessian

from autograder.homeworks.hw2.fakes.pg import weighed
from autograder.homeworks.hw5.fakes import curvature
from autograder.homeworks.hw5.probes import cg_step, trpo_fisher_product, trpo_longest_step
from autograder.running.probing import Student
from autograder.source.submission import PackageFinder, Tree
from cs285.agents.returns import generalized_advantages

SEED = 3


def student() -> Student:
    """Our own code, as a probe reaches it."""
    return Student(PackageFinder(Tree(None), ()))


def test_products_are_those_of_the_exact_hessian() -> None:
    for name, case in trpo_fisher_product.cases(SEED).items():
        ob_no = torch.as_tensor(case.ob_no)
        old = curvature.weights_of(case.theta_old)
        old_pi = curvature.policy([weight.detach() for weight in old], ob_no, case.discrete)

        def divergence(theta: torch.Tensor) -> torch.Tensor:
            parts = torch.split(theta, [int(np.prod(shape)) for shape in curvature.SHAPES])
            weights = [p.reshape(s) for p, s in zip(parts, curvature.SHAPES, strict=True)]
            pi = curvature.policy(weights, ob_no, case.discrete)  # noqa: B023
            return distributions.kl_divergence(old_pi, pi).mean()  # noqa: B023

        matrix = hessian(divergence, torch.as_tensor(case.theta)).numpy()
        exact = case.vectors @ (matrix + case.damping * np.eye(curvature.SIZE))
        found = trpo_fisher_product.observe(student(), case)["H v"]
        np.testing.assert_allclose(found, exact, rtol=1e-9, atol=1e-9, err_msg=name)


def test_conjugate_gradient_is_best_among_what_so_many_products_reach() -> None:
    for name, case in cg_step.cases(SEED).items():
        record = cg_step.observe(student(), case)
        powers = [case.b]
        for _ in range(int(record["the number of products"]) - 1):
            powers.append(case.matrix @ powers[-1])
        basis, _ = np.linalg.qr(np.array(powers).T)
        inner = np.linalg.solve(basis.T @ case.matrix @ basis, basis.T @ case.b)
        best = basis @ inner if record["the number of products"] else 0 * case.b
        np.testing.assert_allclose(record["x"], best, rtol=1e-4, atol=1e-5, err_msg=name)


def test_the_longest_step_ends_at_the_edge() -> None:
    for name, case in trpo_longest_step.cases(SEED).items():
        step = trpo_longest_step.observe(student(), case)["the step"]
        if not case.direction.any():
            assert not step.any()
            continue
        scale = float(step @ case.direction / (case.direction @ case.direction))
        reached = 0.5 * scale**2 * float(case.direction @ case.h_direction)
        np.testing.assert_allclose(reached, case.max_kl, rtol=1e-4, err_msg=name)


def test_the_stand_in_for_gae_is_gae() -> None:
    rng = np.random.default_rng(SEED)
    columns = rng.normal(size=(3, 30))
    ends, ended = rng.random((2, 30)) < 0.3
    given = (*columns, (ends & ended).astype(float), ends, 0.9, 0.7)
    np.testing.assert_allclose(weighed(*given), generalized_advantages(*given))

"""The numbers by which homework 5 is judged are the exact ones: from other ways to compute them."""

from __future__ import annotations

import numpy as np
import torch
from torch import distributions
from torch.autograd.functional import hessian
from torch.func import functional_call

from autograder.homeworks.hw2.fakes.pg import weighed
from autograder.homeworks.hw5.fakes.agents import LinearPolicy
from autograder.running.declared import load
from autograder.running.declared_words import fill
from autograder.running.probing import Student
from autograder.source.submission import PackageFinder, Tree
from cs285.agents.returns import generalized_advantages

SEED = 3
PROBES = "autograder.homeworks.hw5.probes"
cg_step, trpo_fisher_product, trpo_longest_step = (
    load(f"{PROBES}.{name}") for name in ("cg_step", "trpo_fisher_product", "trpo_longest_step")
)


def student() -> Student:
    """Our own code, as a probe reaches it."""
    return Student(PackageFinder(Tree(None), ()))


def test_products_are_those_of_the_exact_hessian() -> None:
    for name, case in trpo_fisher_product.cases(SEED).items():
        ob_no = torch.as_tensor(case.ob_no)
        policies = [LinearPolicy(case.discrete), LinearPolicy(case.discrete)]
        for policy, numbers in zip(policies, (case.old_theta, case.theta), strict=True):
            fill(policy.parameters(), numbers)
        old, new = (policy.double() for policy in policies)
        sizes = {name: weight.shape for name, weight in new.named_parameters()}

        def divergence(theta: torch.Tensor) -> torch.Tensor:
            parts = torch.split(theta, [shape.numel() for shape in sizes.values()])  # noqa: B023
            pairs = zip(parts, sizes.items(), strict=True)  # noqa: B023
            weights = {name: part.reshape(shape) for part, (name, shape) in pairs}
            pi = functional_call(new, weights, (ob_no,))  # noqa: B023
            return distributions.kl_divergence(old(ob_no), pi).mean()  # noqa: B023

        size = sum(shape.numel() for shape in sizes.values())
        matrix = hessian(divergence, torch.as_tensor(np.float64(case.theta[:size]))).numpy()
        exact = case.vectors @ (matrix + case.damping * np.eye(size))
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

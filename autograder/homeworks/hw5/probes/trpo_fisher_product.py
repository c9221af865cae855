"""Multiplies with the Fisher matrix of small networks in float64: the exact second derivative."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from autograder.homeworks.hw5.fakes.calls import finite
from autograder.homeworks.hw5.fakes.curvature import OBS, SIZE, policy, weights_of
from autograder.running.probing import Student


@dataclass(frozen=True)
class Policies:
    """Weights of two policies in the same states, and vectors to be multiplied with H."""

    vectors: np.ndarray  # (k, SIZE)
    theta: np.ndarray
    theta_old: np.ndarray
    ob_no: np.ndarray
    damping: float
    discrete: bool = True


def cases(seed: int) -> Mapping[str, Policies]:
    """Returns what is tried: all of H, both kinds of actions, other policies than the old one."""
    rng = np.random.default_rng([285, 97, seed])
    numbers = rng.uniform(0.3, 1.2, (5, SIZE)) * rng.choice([-1, 1], (5, SIZE))
    usual = Policies(numbers[2:], numbers[0], numbers[0], rng.normal(size=(7, OBS)), 0.3)
    return {
        "usual": usual,
        "the whole matrix": replace(usual, vectors=np.eye(SIZE)),
        "continuous actions": replace(usual, discrete=False),
        "no damping": replace(usual, damping=0.0),
        "damping above 1": replace(usual, damping=2.5),
        "large vectors": replace(usual, vectors=300 * numbers),
        "away from the old policy": replace(usual, theta_old=numbers[1], vectors=9 * numbers),
        "vectors of zeros, one state": replace(usual, vectors=0 * numbers, ob_no=usual.ob_no[:1]),
    }


def observe(student: Student, case: Policies) -> dict[str, Any]:
    """Returns the products of all vectors, which are asked for from one graph."""
    module, ob_no = student.module("agents.trpo_agent"), torch.as_tensor(case.ob_no)
    old, weights = weights_of(case.theta_old), weights_of(case.theta)
    old_pi = policy([weight.detach() for weight in old], ob_no, case.discrete)
    kl = module.mean_kl(old_pi, policy(weights, ob_no, case.discrete))
    kl_gradient = module.flat_gradient(kl, weights, create_graph=True)
    before, vectors = kl_gradient.detach().clone(), torch.as_tensor(case.vectors)
    products = [module.fisher_product(kl_gradient, v, weights, case.damping) for v in vectors]
    return finite(
        {
            "H v": torch.stack(products),
            "carries_graph": any(product.requires_grad for product in products),
            "kl_gradient_changed": not torch.equal(before, kl_gradient),
        }
    )

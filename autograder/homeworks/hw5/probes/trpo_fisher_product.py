"""Multiplies with the Fisher matrix of small networks in float64: the exact second derivative."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import distributions

from autograder.homeworks.hw5.fakes.calls import finite
from autograder.running.probing import Student

OBS, HIDDEN, OUT = 2, 3, 2
SHAPES = ((HIDDEN, OBS), (OUT, HIDDEN), (OUT,))  # the last are biases, or logarithms of spreads
SIZE = HIDDEN * OBS + OUT * HIDDEN + OUT


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
    theta, other = rng.uniform(0.3, 1.2, (2, SIZE)) * rng.choice([-1, 1], (2, SIZE))
    vectors = rng.uniform(0.4, 1.6, (3, SIZE)) * rng.choice([-1, 1], (3, SIZE))
    usual = Policies(vectors, theta, theta, rng.normal(size=(7, OBS)), 0.3)
    return {
        "usual": usual,
        "the whole matrix": replace(usual, vectors=np.eye(SIZE)),
        "continuous actions": replace(usual, discrete=False),
        "no damping": replace(usual, damping=0.0),
        "damping above 1": replace(usual, damping=2.5),
        "away from the old policy": replace(usual, theta_old=other),
        "large vectors": replace(usual, vectors=300 * vectors),
        "vectors of zeros": replace(usual, vectors=0 * vectors),
        "one state": replace(usual, ob_no=usual.ob_no[:1]),
    }


def policy(weights: Sequence[torch.Tensor], ob_no: torch.Tensor, discrete: bool) -> Any:
    """Returns the distribution of a network with one hidden layer."""
    outputs = (ob_no @ weights[0].T).tanh() @ weights[1].T
    if discrete:
        return distributions.Categorical(logits=outputs + weights[2])
    normal = distributions.Normal(outputs, weights[2].exp().expand_as(outputs))
    return distributions.Independent(normal, 1)


def observe(student: Student, case: Policies) -> dict[str, Any]:
    """Returns the products of all vectors, which are asked for from one graph."""
    module, ob_no = student.module("agents.trpo_agent"), torch.as_tensor(case.ob_no)
    both = []
    for numbers in (case.theta_old, case.theta):
        parts = torch.split(torch.as_tensor(numbers), [int(np.prod(shape)) for shape in SHAPES])
        both.append([x.reshape(shape).clone() for x, shape in zip(parts, SHAPES, strict=True)])
    old, weights = both
    for weight in weights:
        weight.requires_grad_()
    policies = (policy(each, ob_no, case.discrete) for each in (old, weights))
    kl = module.mean_kl(*policies)
    kl_gradient = module.flat_gradient(kl, weights, create_graph=True)
    before, vectors = kl_gradient.detach().clone(), torch.as_tensor(case.vectors)
    products = [module.fisher_product(kl_gradient, v, weights, case.damping) for v in vectors]
    return {
        "H v": finite(torch.stack(products)),
        "carries_graph": any(product.requires_grad for product in products),
        "kl_gradient_changed": not torch.equal(before, kl_gradient),
    }

"""Takes PPO's gradient steps: three in a row, with one optimizer whose steps show the gradient."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from unittest import mock

import numpy as np
import torch

from autograder.homeworks.hw5.fakes.agents import CHOICES, COMPONENTS, OBS, LinearPolicy, fill
from autograder.homeworks.hw5.fakes.agents import ppo_agent as build
from autograder.homeworks.hw5.fakes.calls import finite
from autograder.running.probing import Student, plain_array

STEPS, ROWS, STEP_SIZE = 3, 7, 0.5


@dataclass(frozen=True)
class Minibatches:
    """A minibatch for each step, and the settings of the loss."""

    ob_no: np.ndarray
    ac_na: np.ndarray
    adv_n: np.ndarray
    target_n: np.ndarray
    old_log_prob_n: np.ndarray
    discrete: bool = True
    entropy_coef: float = 0.3
    value_coef: float = 0.2
    max_grad_norm: float = 0.4
    target_kl: float | None = None


def cases(seed: int) -> Mapping[str, Minibatches]:
    """Returns what is tried: both kinds of actions, gradients of all lengths, one row."""
    rng = np.random.default_rng([285, 94, seed])
    floats = rng.uniform(0.3, 1.7, (3, STEPS, ROWS)) * rng.choice([-1, 1], (3, STEPS, ROWS))
    adv_n, target_n, old = floats.astype(np.float32)
    ob_no = rng.uniform(-1.5, 1.5, (STEPS, ROWS, OBS)).astype(np.float32)
    choices = rng.integers(CHOICES, size=(STEPS, ROWS)).astype(np.float32)
    usual = Minibatches(ob_no, choices, adv_n, target_n + 1, -1 + 0.2 * old)
    moves = rng.normal(0, 1, (STEPS, ROWS, COMPONENTS)).astype(np.float32)
    one_row = {name: value[:, :1] for name, value in vars(usual).items() if np.ndim(value) > 1}
    return {
        "discrete": usual,
        "continuous": replace(usual, ac_na=moves, discrete=False),
        "gradients that are never clipped": replace(usual, max_grad_norm=1e4),
        "targets of hundreds": replace(usual, target_n=300 * target_n),
        "no entropy bonus": replace(usual, entropy_coef=0.0),
        "one row": replace(usual, **one_row),
        "too far already": replace(usual, target_kl=0.0),
    }


def observe(student: Student, case: Minibatches) -> dict[str, Any]:
    """Returns the weights after each step, and the length of each gradient before its clip."""
    names = ("entropy_coef", "value_coef", "max_grad_norm", "target_kl")
    agent = build(student, case.discrete, **{name: getattr(case, name) for name in names})
    agent.actor = LinearPolicy(case.discrete)
    agent.weights = [*agent.actor.parameters(), *agent.critic.parameters()]
    fill(agent.weights, np.sin(1.0 + np.arange(sum(w.numel() for w in agent.weights))))
    agent.optimizer = torch.optim.SGD(agent.weights, STEP_SIZE)
    arrays = (case.ob_no, case.ac_na, case.adv_n, case.target_n, case.old_log_prob_n)
    tensors = [torch.zeros(array.shape[1:]) for array in arrays]
    weights, lengths = [], []
    with neighbours(student), student.up_to_a_crash():
        for step in range(STEPS):
            for tensor, array in zip(tensors, arrays, strict=True):
                tensor.copy_(torch.as_tensor(array[step]))
            log, _ = agent.update(*tensors)
            weights.append(np.concatenate([plain_array(w).ravel() for w in agent.weights]))
            lengths.append(finite(log.get("Gradient_Norm", 0.0)))
    return {
        "weights after each step": finite(np.array(weights)),
        "`grad_norm` of each step": np.array(lengths),
        "without_gradients": not torch.is_grad_enabled(),
        "weights_frozen": not all(weight.requires_grad for weight in agent.weights),
    }


@contextlib.contextmanager
def neighbours(student: Student) -> Any:
    """Puts other functions of the same kind in the place of three blanks that `update` calls."""
    module = student.module("agents.ppo_agent")
    with contextlib.ExitStack() as stack:
        for name, function in {
            "standardize": lambda adv_n: adv_n / 2,
            "kl_estimate": lambda log_ratio_n: log_ratio_n.abs().max(),
            "clipped_surrogate_loss": lambda log_ratio_n, adv_n, _: -(log_ratio_n @ adv_n) / 7,
        }.items():
            stack.enter_context(mock.patch.object(module, name, function))
        yield

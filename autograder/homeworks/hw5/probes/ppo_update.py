"""Takes PPO's gradient steps: three in a row, with one optimizer whose steps show the gradient."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from autograder.homeworks.hw5.fakes.agents import CHOICES, COMPONENTS, OBS, with_plain_steps
from autograder.homeworks.hw5.fakes.calls import finite
from autograder.homeworks.hw5.fakes.neighbours import OF_UPDATE, instead
from autograder.running.probing import Student, number_in, plain_array

SHAPE = (3, 7)  # steps, rows


@dataclass(frozen=True)
class Minibatches:
    """A minibatch for each step, an array for each argument; and the settings of the loss."""

    arrays: tuple[np.ndarray, ...]
    discrete: bool
    settings: Mapping[str, float]


def cases(seed: int) -> Mapping[str, Minibatches]:
    """Returns what is tried: both kinds of actions, gradients of all lengths, one row."""
    rng = np.random.default_rng([285, 94, seed])
    adv, target, old = rng.uniform(0.3, 1.7, (3, *SHAPE)) * rng.choice([-1, 1], (3, *SHAPE))
    choices, moves = rng.integers(CHOICES, size=SHAPE), rng.normal(0, 1, (*SHAPE, COMPONENTS))
    rest = (adv, target + 1, 0.2 * old - 1)
    ob_no = rng.uniform(-1.5, 1.5, (*SHAPE, OBS))
    settings = {"entropy_coef": 0.3, "value_coef": 0.2, "max_grad_norm": 0.4}
    usual = Minibatches((ob_no, choices, *rest), True, settings)
    large = replace(usual, arrays=(ob_no, choices, 300 * adv, 300 * target, old))
    one_row = tuple(array[:, :1] for array in usual.arrays)
    return {
        "discrete": usual,
        "continuous": Minibatches((ob_no, moves, *rest), False, settings),
        "never clipped": replace(usual, settings={**settings, "max_grad_norm": 1e4}),
        "hundreds": replace(large, settings={**settings, "max_grad_norm": 3.0}),
        "no entropy bonus": replace(usual, settings={**settings, "entropy_coef": 0.0}),
        "one row": replace(usual, arrays=one_row),
        "too far already": replace(usual, settings={**settings, "target_kl": 0.0}),
    }


def observe(student: Student, case: Minibatches) -> dict[str, Any]:
    """Returns the weights after each step, and the length of each gradient before its clip."""
    agent = with_plain_steps(student, case.discrete, **case.settings)
    tensors = [torch.zeros(array.shape[1:]) for array in case.arrays]
    weights, lengths, losses = [], [], []
    with instead(student, OF_UPDATE), student.up_to_a_crash():
        for step in range(len(case.arrays[0])):
            for tensor, array in zip(tensors, case.arrays, strict=True):
                tensor.copy_(torch.as_tensor(array[step]))
            log, _ = agent.update(*tensors)
            weights.append(np.concatenate([plain_array(w).ravel() for w in agent.weights]))
            losses.append(number_in(log.get("Critic_Loss", 0.0)))
            lengths.append(plain_array(log.get("Gradient_Norm", 0.0)))
    return finite(
        {
            "weights after each step": np.array(weights),
            "`value_loss` of each step, by the first": np.array(losses) / max([*losses[:1], 1e-9]),
            "`grad_norm` of each step": np.array(lengths),
            "without_gradients": not torch.is_grad_enabled(),
        }
    )

"""Small policies in float64: the second derivative of their divergence can be computed whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch.distributions import Categorical, MultivariateNormal

OBS, HIDDEN, OUT = 2, 3, 2
SHAPES = ((HIDDEN, OBS), (OUT, HIDDEN), (OUT,))  # the last are biases, or logarithms of spreads
SIZE = HIDDEN * OBS + OUT * HIDDEN + OUT  # weights in all


def weights_of(theta: np.ndarray) -> list[torch.Tensor]:
    """Returns the weights of a policy, each with a gradient of its own."""
    parts = torch.split(torch.as_tensor(theta), [int(np.prod(shape)) for shape in SHAPES])
    pairs = zip(parts, SHAPES, strict=True)
    return [part.reshape(shape).clone().requires_grad_() for part, shape in pairs]


def policy(weights: Sequence[torch.Tensor], ob_no: torch.Tensor, discrete: bool) -> Any:
    """Returns the distribution of a network with one hidden layer."""
    outputs = (ob_no @ weights[0].T).tanh() @ weights[1].T
    if discrete:
        return Categorical(logits=outputs + weights[2])
    spread = torch.diag(torch.exp(weights[2]))
    return MultivariateNormal(outputs, scale_tril=spread)

"""Networks and what is done to them, for the agents of homework 5."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from cs285.infrastructure import pytorch_util as ptu


def orthogonal_init(network: nn.Module, head_gain: float) -> None:
    """Draws orthogonal weights, of gain sqrt(2) and in the last layer `head_gain`; biases are 0.

    A small head makes a policy begin with nearly the same distribution in every state.

    Source: Saxe et al., 2014, https://arxiv.org/abs/1312.6120; gains as PPO's authors have them.
    """
    layers = [layer for layer in network.modules() if isinstance(layer, (nn.Linear, nn.Conv2d))]
    for layer in layers:
        # Drawn apart, for weights of convolutions do not lie in a row, as the draw must.
        drawn = torch.empty_like(layer.weight, memory_format=torch.contiguous_format)
        nn.init.orthogonal_(drawn, head_gain if layer is layers[-1] else 2.0**0.5)
        layer.weight.data.copy_(drawn)
        nn.init.zeros_(layer.bias)  # type: ignore[arg-type]


def prepare(
    actor: Any, critic: Any, ob_dim: int | tuple[int, ...], normalize: bool
) -> ptu.RunningNorm:
    """Draws the first weights of an `MLPPolicy` with a small head, and of its `ValueCritic`.

    Returns:
        What scales observations: the first layer of both if they are to `normalize`, else unused.
    """
    norm = ptu.RunningNorm(ob_dim)
    for network, gain in ((actor.network, 0.01), (critic.critic_network, 1.0)):
        orthogonal_init(network, head_gain=gain)
        if normalize:
            network.insert(0, norm)
    return norm


def flat_gradient(
    scalar: torch.Tensor, weights: Sequence[torch.Tensor], create_graph: bool = False
) -> torch.Tensor:
    """Returns the gradient of `scalar` by all weights as one vector. Shape (d,)."""
    parts = torch.autograd.grad(scalar, weights, create_graph=create_graph, retain_graph=True)
    return torch.cat([part.flatten() for part in parts])


@torch.no_grad()
def set_weights(weights: Sequence[torch.Tensor], theta: torch.Tensor) -> None:
    """Copies a vector of shape (d,) into `weights`, which have d numbers together."""
    parts = torch.split(theta, [weight.numel() for weight in weights])
    for weight, part in zip(weights, parts, strict=True):
        weight.copy_(part.view_as(weight))

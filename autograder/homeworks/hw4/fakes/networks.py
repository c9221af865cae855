"""Real networks with chosen weights, and what a call leaves behind in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import torch
from torch import nn

from autograder.running.probing import Student

OB_DIM, AC_DIM = 7, 3


@torch.no_grad()
def set_weights(network: nn.Module, seed: int, size: float = 1.0, level: float = 0.0) -> None:
    """Writes weights: the same on every machine, and with any version of PyTorch.

    Args:
        network: One of the course's: an actor, or `QNetworks`.
        seed: Of the weights.
        size: Of what the last layer adds up, and so of values.
        level: Of all values, in units of `size`.
    """
    rng = np.random.default_rng([285, 84, seed])
    batched = hasattr(network, "biases")  # several networks, whose weights are in two lists
    weights = list(network.parameters())
    last = (network.weights[-1], network.biases[-1]) if batched else weights[-2:]
    for weight in weights:
        fan_in = weight.shape[1] if weight.ndim > 1 else 4
        drawn = rng.uniform(-1.0, 1.0, tuple(weight.shape)) * np.sqrt(2.0 / fan_in)
        scale = size if any(weight is one for one in last) else 1.0
        weight.copy_(torch.from_numpy(np.float32(scale * drawn)))
    last[1].add_(size * level)


def actor_and_critic(
    student: Student, seed: int, size: float = 1.0, level: float = 0.0
) -> tuple[Any, Any]:
    """Returns an actor and one critic, of the student's package; for values see `set_weights`."""
    torch.set_grad_enabled(True)  # in case an earlier trial has switched gradients off for good
    actor: Any = student.module("policies.deterministic_policy").DeterministicActor
    critic: Any = student.module("critics.q_critic").QNetworks
    both = actor(OB_DIM, AC_DIM, (16,), 0.0), critic(1, OB_DIM + AC_DIM, (16,))
    set_weights(both[0], seed)
    set_weights(both[1], seed + 1, size, level)
    return both


def gradients(loss: Any, weights: Iterable[torch.Tensor]) -> np.ndarray:
    """Returns the gradients of a loss by some weights in a row; zeros where none arrives."""
    wanted = list(weights)
    found: Iterable[Any] = [None] * len(wanted)
    if torch.is_tensor(loss) and loss.requires_grad and loss.numel() == 1:
        found = torch.autograd.grad(loss.reshape(()), wanted, allow_unused=True)
    every = [w.new_zeros(w.shape) if g is None else g for g, w in zip(found, wanted, strict=True)]
    return torch.cat([one.reshape(-1) for one in every]).numpy()


def flags_of(*networks: nn.Module) -> list[bool]:
    """Returns whether gradients are computed at all, and by each weight."""
    weights = [weight for network in networks for weight in network.parameters()]
    return [torch.is_grad_enabled(), *(weight.requires_grad for weight in weights)]


def left_behind(before: list[bool], *networks: nn.Module) -> Mapping[str, bool]:
    """Returns what a call has left behind, other than `flags_of` these networks before it."""
    weights = [weight for network in networks for weight in network.parameters()]
    return {
        "requires_grad_changed": flags_of(*networks) != before,
        "gradients_left": any(weight.grad is not None for weight in weights),
    }

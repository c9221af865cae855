"""Asks for a loss as a training does: for its value, and for the gradients that flow back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch

from autograder.running.probing import plain_array


def ask(loss_of: Callable[..., Any], arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Returns a loss, its gradient by each of its arguments, and what the call leaves behind.

    Arguments are results of a graph, as those of networks are: their contents may be changed in
    place, and whoever needs them later gets the changed ones.

    Args:
        loss_of: Takes a tensor for each array, in their order.
        arrays: By the names of the arguments.
    """
    leaves = {name: torch.tensor(array, requires_grad=True) for name, array in arrays.items()}
    given = [leaf.clone() for leaf in leaves.values()]
    loss = loss_of(*given)
    left = {
        "inputs_changed": not all(map(torch.equal, given, leaves.values())),
        "requires_grad_changed": not torch.is_grad_enabled(),
        "gradients_left": any(leaf.grad is not None for leaf in leaves.values()),
    }
    torch.set_grad_enabled(True)
    if left["gradients_left"]:  # there may be no graph any more
        return left
    by_name = {f"gradient by `{name}`": leaf for name, leaf in leaves.items()}
    return {"loss": plain_array(loss), **gradients(loss, by_name), **left}


def gradients(result: Any, leaves: Mapping[str, torch.Tensor]) -> dict[str, np.ndarray]:
    """Returns the gradient of a result's sum by each of some tensors: zeros where none arrives."""
    found: list[torch.Tensor | None] = [None] * len(leaves)
    if getattr(result, "requires_grad", False):
        found = list(torch.autograd.grad(result.sum(), list(leaves.values()), allow_unused=True))
    return {
        name: plain_array(torch.zeros_like(leaf) if grad is None else grad)
        for (name, leaf), grad in zip(leaves.items(), found, strict=True)
    }

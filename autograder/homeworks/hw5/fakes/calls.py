"""How the functions of homework 5 are called, and what is noted of their results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch

from autograder.running.probing import plain_array

EARLIER = 5  # calls before the one that counts


def after_others(function: Callable[..., Any], *given: Any) -> Any:
    """Calls a function with other numbers in the same tensors, and then with those that count.

    So it shows whether results of earlier calls are used again.
    """
    tensors = [one for one in given if isinstance(one, torch.Tensor)]
    numbers = [one.detach().clone() for one in tensors]
    with torch.no_grad():
        for one in tensors:
            one.mul_(-0.5).add_(0.25)
    for _ in range(EARLIER):
        function(*given)
    with torch.no_grad():
        for one, before in zip(tensors, numbers, strict=True):
            one.copy_(before)
    return function(*given)


def finite(record: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a record in which nan and infinity are other numbers, and whether there were any.

    As they are, they would equal nothing, so no mistake that leads to them would have a name.
    """
    arrays = {name: plain_array(value) for name, value in record.items()}
    whole = all(np.isfinite(array).all() for array in arrays.values())
    numbers = {name: np.nan_to_num(array, posinf=0, neginf=0) for name, array in arrays.items()}
    return {**numbers, "not_finite": not whole}


def gradient(loss: Any, leaf: torch.Tensor) -> np.ndarray:
    """Returns the gradient of a loss; zeros if nothing leads from the leaf to the loss."""
    found = None
    if isinstance(loss, torch.Tensor) and loss.requires_grad:
        (found,) = torch.autograd.grad(loss.sum(), leaf, allow_unused=True)
    return plain_array(torch.zeros_like(leaf) if found is None else found)

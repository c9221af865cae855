"""How the functions of homework 5 are called, and what is noted of their results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from autograder.running.probing import plain_array

EARLIER = 5  # calls before the one that counts
NOT_A_NUMBER, LARGEST = -12345.0, 1e30  # stand for nan and for infinity: no record equals nan


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


def finite(value: Any) -> np.ndarray:
    """Returns numbers as an array, with a number of its own for each of nan and infinity."""
    array = plain_array(value)
    if array.dtype.kind != "f":
        return array
    return np.nan_to_num(array, nan=NOT_A_NUMBER, posinf=LARGEST, neginf=-LARGEST)


def gradient(loss: Any, leaf: torch.Tensor) -> np.ndarray:
    """Returns the gradient of a loss; zeros if nothing leads from the leaf to the loss."""
    found = None
    if isinstance(loss, torch.Tensor) and loss.requires_grad:
        (found,) = torch.autograd.grad(loss.sum(), leaf, allow_unused=True)
    return finite(torch.zeros_like(leaf) if found is None else found)

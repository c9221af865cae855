"""The words that the expressions of a blank's file may use, beside NumPy and PyTorch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from torch import nn

from autograder.running.draws import coarsely
from autograder.running.probing import number_in, plain_array

STEP_SIZE = 0.1
MOST_STEPS = 40  # that are kept


def flat(tensors: Iterable[Any]) -> np.ndarray:
    """Returns the numbers of tensors or arrays, one after the other; a copy."""
    return np.concatenate([plain_array(one).ravel() for one in tensors])


def unit(change: Any) -> np.ndarray:
    """Returns a change of length one, or none."""
    array = np.nan_to_num(plain_array(change).astype(np.float64))
    found: np.ndarray = array / max(float(np.linalg.norm(array)), 1e-12)
    return found


def centred(array: Any) -> np.ndarray:
    """Returns what is left of each row when its mean is taken away."""
    numbers = np.asarray(array, np.float64)
    found: np.ndarray = numbers - numbers.mean(-1, keepdims=True)
    return found


def roughly(number: Any) -> float:
    """Returns a positive number in steps of a fifth: what right forms add to it does not show."""
    return float(np.exp2(coarsely(np.log2(max(float(number), 1e-9)), 0.25)))


@torch.no_grad()
def fill(weights: Iterable[torch.Tensor], numbers: Any) -> None:
    """Writes numbers into weights, in their order; as many as there are."""
    vector = torch.tensor(np.asarray(numbers), dtype=torch.float32)  # a copy
    torch.nn.utils.vector_to_parameters(vector, [*weights])


@torch.no_grad()
def copy_into(tensors: Iterable[torch.Tensor], arrays: Iterable[Any]) -> None:
    """Writes an array into each tensor."""
    for tensor, array in zip(tensors, arrays, strict=True):
        tensor.copy_(torch.as_tensor(array))


@torch.no_grad()
def set_weights(network: Any, seed: int, size: float = 1.0, level: float = 0.0) -> None:
    """Writes weights: the same on every machine, and with any version of PyTorch.

    The network is an actor, or `QNetworks`, whose weights are in two lists. What its last layer
    adds up, and so a value, has this size, and this level in units of the size.
    """
    rng = np.random.default_rng([285, 84, seed])
    weights = list(network.parameters())
    two_lists = hasattr(network, "biases")
    last = (network.weights[-1], network.biases[-1]) if two_lists else weights[-2:]
    for weight in weights:
        fan_in = weight.shape[1] if weight.ndim > 1 else 4
        drawn = rng.uniform(-1.0, 1.0, tuple(weight.shape)) * np.sqrt(2.0 / fan_in)
        scale = size if any(weight is one for one in last) else 1.0
        weight.copy_(torch.from_numpy(np.float32(scale * drawn)))
    last[1].add_(size * level)


def bare(cls: type, **attributes: Any) -> Any:
    """Returns an object that was never initialised, with some attributes."""
    made: Any = object.__new__(cls)
    vars(made).update(attributes)
    return made


class UnitSteps(torch.optim.SGD):
    """Takes steps of one length down the gradient: the scale of a loss then plays no part.

    It notes what it is asked and what it did.
    """

    def __init__(self, watched: Sequence[nn.Parameter]) -> None:
        """Watches some parameters."""
        super().__init__(watched, lr=STEP_SIZE)
        self.watched = watched
        for parameter in watched:
            parameter.register_hook(self._arrive)
        self.begin()

    def begin(self) -> None:
        """Forgets what it noted."""
        self.moves: list[np.ndarray] = []
        self.early, self.backwards, self.arrived = False, 0, 0

    def _arrive(self, grad: torch.Tensor) -> None:
        self.arrived = max(self.arrived, 1 + int(grad.abs().sum() > 0))  # 1: of zeros alone

    @property
    def downhill(self) -> np.ndarray:
        """Where the gradients that are stored point, with length one; or nowhere."""
        down = flat(0 * one if one.grad is None else -one.grad for one in self.watched)
        return np.asarray(unit(down), np.float32)

    def in_rows(self, begin: Any) -> dict[str, Any]:
        """Returns what is noted of an update, of weights that were `begin`; no scale has a part."""
        begin = plain_array(begin)
        moves = [np.zeros_like(begin), *self.moves]
        end = begin + STEP_SIZE * np.sum(moves, axis=0)
        return {
            "the direction of the step": [*moves, moves[0]][1],
            "the number of steps": len(self.moves),
            "no_backward": self.backwards == 0,
            "gradient_arrives": self.arrived,
            "steps_before_backward": self.early and self.backwards > 0,
            "moves_otherwise": not np.allclose(flat(self.watched), end, atol=1e-5),
        }

    def step(self, closure: Any = None) -> Any:
        """Takes a step."""
        with torch.enable_grad():
            loss = None if closure is None else closure()
        move = self.downhill
        self.early |= not self.backwards
        if len(self.moves) < MOST_STEPS:
            self.moves.append(move)
        ends = np.cumsum([parameter.numel() for parameter in self.watched])
        with torch.no_grad():
            for parameter, part in zip(self.watched, np.split(move, ends[:-1]), strict=True):
                parameter.add_(torch.tensor(part).view_as(parameter), alpha=STEP_SIZE)
        return loss

    def counting(self) -> Any:
        """Counts how often a gradient is asked for: `Tensor.backward` ends in one of these, too."""
        usual = {name: getattr(torch.autograd, name) for name in ("backward", "grad")}

        def ask(name: str, *args: Any, **kwargs: Any) -> Any:
            self.backwards += 1
            return usual[name](*args, **kwargs)

        asked: dict[str, Any] = {name: partial(ask, name) for name in usual}
        return patch.multiple(torch.autograd, **asked)


WORDS: Mapping[str, Any] = {
    "np": np,
    "torch": torch,
    "SimpleNamespace": SimpleNamespace,
    "UnitSteps": UnitSteps,
    "array": plain_array,
    "number": number_in,
    "flat": flat,
    "unit": unit,
    "centred": centred,
    "roughly": roughly,
    "fill": fill,
    "copy_into": copy_into,
    "set_weights": set_weights,
    "bare": bare,
}

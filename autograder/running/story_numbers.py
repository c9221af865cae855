"""What stands for a thing in a row of numbers: arrays, weights, batches, the way of gradients.

A few numbers stand for a whole array, so a row is short, whatever it describes.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch._utils import _flatten_dense_tensors

from autograder.running.probing import plain_array
from autograder.running.story_traces import PROJECTIONS

SEED = 285
LARGE = 4096  # numbers of an array that are looked at; of a larger one, so many at equal distances
NUMBERS = (bool, int, float, np.generic)
NO_OWNERS = (nn.Module, torch.optim.Optimizer, gym.Env, type, torch.Tensor, Mapping)
"""Objects whose own numbers are nobody's, or are looked at elsewhere."""


class WeightSketch:
    """A few fixed projections of how far weights have come from where they began.

    Each weight's change is given a random sign and added to one of 16 sums. The length of these
    numbers estimates the length of the whole change, and so does that of a difference of two.
    """

    def __init__(self, weights: Sequence[torch.Tensor]) -> None:
        """Keeps the weights as they are now."""
        self.start = self.latest = flat(weights)
        signs = np.random.default_rng(SEED).integers(0, 2, self.start.numel(), dtype=np.int8)
        self.signs, self.numbers = torch.from_numpy(2.0 * signs - 1.0).float(), [0.0] * PROJECTIONS

    def of(self, weights: Sequence[torch.Tensor]) -> list[float]:
        """Returns the projections of the change; nan where there are other weights than before."""
        now = flat(weights)
        if now.shape != self.start.shape:
            return [np.nan] * PROJECTIONS
        if not torch.equal(now, self.latest):  # most calls leave them as they are
            self.latest, change = now, now.sub(self.start).mul_(self.signs)
            whole = change.numel() // PROJECTIONS * PROJECTIONS
            sums = change[:whole].view(-1, PROJECTIONS).sum(0)
            sums[: change.numel() - whole] += change[whole:]
            self.numbers = sums.tolist()
        return self.numbers


@torch.no_grad()
def flat(weights: Sequence[torch.Tensor]) -> torch.Tensor:
    """Returns a copy of all weights in a row."""
    if len(weights) > 1 and all(weight.dtype == torch.float32 for weight in weights):
        whole: torch.Tensor = _flatten_dense_tensors(weights)  # in half of the time
        return whole
    return torch.cat([weight.detach().reshape(-1).float() for weight in weights])


def as_array(value: Any) -> np.ndarray:
    """Returns numbers as an array; quicker than `plain_array`, and not a copy."""
    if torch.is_tensor(value):
        return value.detach().numpy()
    return value if type(value) is np.ndarray else plain_array(value)


def described(array: np.ndarray) -> list[float]:
    """Describes an array by its size, its mean, and a sum with signs, which its order changes."""
    size = array.size
    if array.dtype.kind not in "biuf" or not size:
        return [0.0] * 3
    numbers = array.reshape(-1)
    if size > LARGE:
        numbers = numbers[:: size // LARGE | 1]
    numbers = numbers.astype(np.float64)
    count = len(numbers)
    mixed = float(numbers @ signs_of(count)) / count**0.5
    return [float(size), float(np.add.reduce(numbers)) / count, mixed]


@functools.cache
def signs_of(size: int) -> np.ndarray:
    """Returns as many factors of both signs; always the same."""
    drawn = np.random.default_rng([SEED, size]).uniform(0.5, 1.5, size)
    drawn *= np.resize([1.0, -1.0], size)
    return drawn


def row_sums(value: Any) -> np.ndarray:
    """Returns two sums over each row: the plain one, and one with signs. Shape (n, 2)."""
    array = np.atleast_1d(plain_array(value))
    if array.dtype.kind not in "biuf" or not array.size:
        return np.empty((0, 2))
    rows = array.reshape(len(array), -1)
    if rows.dtype != np.float32:
        rows = rows.astype(np.float32 if rows.shape[1] > 1000 else np.float64)
    signs = signs_of(rows.shape[1]).astype(rows.dtype)
    both = np.stack([rows.sum(1), rows @ signs], axis=1).astype(np.float64)
    return np.asarray(both / np.sqrt(rows.shape[1]))


def joint_digest(values: Sequence[Any]) -> list[float]:
    """Describes arrays with as many rows each, and which rows of them belong together.

    The order of the rows is left out: a batch is a set. Of each array these are the number of rows,
    the mean of a sum over each row, and the mean, mean square and mean cube of one with signs.
    """
    sums, numbers = [row_sums(value) for value in values], list[float]()
    for each in sums:
        mixed = each[:, 1]
        powers = [(mixed**power).mean() for power in (1, 2, 3)] if len(each) else [0.0] * 3
        numbers += [float(len(each)), each[:, 0].mean() if len(each) else 0.0, *powers]
    if len({len(each) for each in sums}) != 1 or not len(sums[0]):
        return numbers
    columns = np.stack([each[:, 1] for each in sums], axis=1)
    products = columns.T @ columns / len(columns)
    return [*numbers, *products[np.triu_indices(len(sums), 1)].tolist()]


def weights_of(value: Any) -> list[torch.Tensor]:
    """Returns the weights of a network, or of a list of them; none of anything else."""
    if isinstance(value, nn.Module):
        return every_weight(value)
    if isinstance(value, list | tuple) and value and isinstance(value[0], nn.Parameter):
        return [*value] if all(map(torch.is_tensor, value)) else []
    return []


def every_weight(network: nn.Module) -> list[torch.Tensor]:
    """Returns all weights; it is called so often that `parameters()` would take half of a run."""
    found, waiting = list[torch.Tensor](), [network]
    while waiting:
        part = waiting.pop()
        if part._parameters:
            found += [weight for weight in part._parameters.values() if weight is not None]
        if part._modules:
            waiting += [one for one in reversed(part._modules.values()) if one is not None]
    return found


def hooks_of(network: nn.Module) -> int:
    """Returns how many functions a network calls besides its own: those of layers and of weights.

    PyTorch has no public list of them.
    """
    found, waiting = 0, [network]
    while waiting:
        layer = waiting.pop()
        found += len(layer._forward_hooks) + len(layer._forward_pre_hooks)
        found += len(layer._backward_hooks)
        for weight in layer._parameters.values():
            if weight is not None and weight._backward_hooks:
                found += len(weight._backward_hooks)
        waiting += [one for one in layer._modules.values() if one is not None]
    return found


def own_numbers(owner: Any, deeper: bool = True) -> dict[str, float]:
    """Returns what an object holds in numbers, by name: its own, and those of what it keeps."""
    found = dict[str, float]()
    for name, value in getattr(owner, "__dict__", {}).items():
        kind: Any = type(value)
        what = sort_of(kind)
        if what == "number":
            if name[0] != "_" and name != "training":
                found[name] = float(value)
        elif what == "list":
            if len(value) == 1 and isinstance(value[0], float):
                found[name] = value[0]  # such as a scheduler's base rates
        elif what and deeper:
            inner = own_numbers(value, False)
            found |= {f"{name}.{key}": number for key, number in inner.items()}
    return found


@functools.cache
def sort_of(kind: Any) -> str:
    """Returns whether values of a type are numbers, lists, or objects with numbers of their own."""
    if issubclass(kind, NUMBERS):
        return "number"
    if issubclass(kind, NO_OWNERS):
        return ""
    if dataclasses.is_dataclass(kind):  # settings, which stay
        return ""
    return "list" if kind is list else "object" if kind.__dictoffset__ else ""


def gradients(results: Sequence[Any], values: Sequence[Any]) -> list[float]:
    """Describes where gradients of results lead, by what was given; nan if there is no way."""
    into = [w for v in values for w in weights_of(v) or ([v] if torch.is_tensor(v) else [])]
    if not (into := [weight for weight in into if weight.requires_grad]):
        return []
    learn = [result for result in results if getattr(result, "requires_grad", False)]
    try:
        whole: Any = sum((place + 1) * result.sum() for place, result in enumerate(learn))
        found = torch.autograd.grad(whole, into, retain_graph=True, allow_unused=True)
    except RuntimeError:
        return [np.nan] * 3
    every = [[0.0] * 3 if one is None else described(as_array(one)) for one in found]
    return [number for one in every[:10] for number in one]

"""Streams: what a run does, as rows of numbers with the time of each.

A row is short, whatever it stands for: a network of a million weights leaves 16 numbers. So a table
of our own run stays small, and a handout can compare without holding a solution.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch
from torch import nn

from autograder.running.probing import plain_array

PROJECTIONS = 16  # of each weight change
MOST_ROWS = 3000  # of a stream: no right run has so many
SEED = 285
DIGITS = 3  # of a time after its point: tables keep six in all
TICK = 0.001  # of a training: its parts follow each other


class Streams:
    """Rows of numbers by name; the first number of each row is its time."""

    def __init__(self) -> None:
        """Begins empty, at time 0."""
        self.clock = 0.0
        """How often the agent has been trained so far, and parts of the training that goes on."""
        self.rows: dict[str, list[list[float]]] = {}

    def note(self, name: str, numbers: Iterable[float]) -> None:
        """Appends a row to a stream."""
        rows = self.rows.setdefault(name, [])
        if len(rows) < MOST_ROWS:
            rows.append([float(self.clock), *map(float, numbers)])

    def tick(self) -> None:
        """Lets a little time pass: a part of a training is over."""
        self.clock = round(self.clock + TICK, DIGITS)

    def end(self) -> None:
        """Goes to the end of a training that has had parts: what follows comes after them."""
        if self.clock % 1:
            self.clock = round(int(self.clock) + 1 - TICK, DIGITS)

    def next(self) -> None:
        """Goes to the next training."""
        self.clock = float(int(self.clock) + 1)

    def arrays(self) -> dict[str, np.ndarray]:
        """Returns each stream as an array; short rows end with zeros."""
        found = {}
        for name, rows in self.rows.items():
            width = max(map(len, rows))
            found[name] = np.array([row + [0.0] * (width - len(row)) for row in rows])
        return found


class WeightSketch:
    """A few fixed projections of how far a network has come from where it began.

    Each weight's change is given a random sign and added to one of 16 sums. The length of these
    numbers estimates the length of the whole change, and so does that of a difference of two.
    """

    def __init__(self, network: nn.Module) -> None:
        """Keeps the weights as they are now."""
        self.start = _flat(network)
        signs = np.random.default_rng(SEED).integers(0, 2, self.start.numel(), dtype=np.int8)
        self.signs = torch.from_numpy(2.0 * signs - 1.0).float()

    def of(self, network: nn.Module) -> list[float]:
        """Returns the projections of the change; nan where there are other weights than before."""
        flat = _flat(network)
        if flat.shape != self.start.shape:
            return [np.nan] * PROJECTIONS
        change = flat.sub_(self.start).mul_(self.signs)
        whole = change.numel() // PROJECTIONS * PROJECTIONS
        sums = change[:whole].view(-1, PROJECTIONS).sum(0)
        sums[: change.numel() - whole] += change[whole:]
        numbers: list[float] = sums.tolist()
        return numbers


@torch.no_grad()
def _flat(network: nn.Module) -> torch.Tensor:
    """Returns a copy of all weights in a row."""
    return torch.cat([weight.detach().reshape(-1).float() for weight in network.parameters()])


@torch.no_grad()
def fill(network: nn.Module, seed: int, scale: float = 1.0) -> None:
    """Writes fixed weights into a network: the same on every machine and by every PyTorch.

    Args:
        network: Any.
        seed: Of the weights.
        scale: Of the last layer's weights, and so of what the network returns.
    """
    rng = np.random.default_rng([SEED, seed])
    weights = list(network.parameters())
    for number, weight in enumerate(weights):
        fan_in = max(1, int(np.prod(weight.shape[1:])) if weight.ndim > 1 else weight.numel())
        drawn = rng.uniform(-1.0, 1.0, tuple(weight.shape)) / np.sqrt(fan_in)
        last = scale if number >= len(weights) - 2 else 1.0
        weight.copy_(torch.from_numpy(np.float32(last * drawn)))


def digest(value: Any) -> list[float]:
    """Describes an array in five numbers that do not depend on the order of its rows.

    They are the number of rows; the mean of a sum over each row; and the mean, mean square and mean
    cube of another one, with random signs.
    """
    return _moments(row_sums(value))


def _moments(sums: np.ndarray) -> list[float]:
    """Returns the five numbers of `digest`, from the sums over each row."""
    if not len(sums):
        return [0.0] * 5
    mixed = sums[:, 1]
    return [float(len(sums)), sums[:, 0].mean(), *((mixed**power).mean() for power in (1, 2, 3))]


def row_sums(value: Any) -> np.ndarray:
    """Returns two sums over each row: the plain one, and one with random signs. Shape (n, 2)."""
    array = np.atleast_1d(plain_array(value))
    if array.dtype.kind not in "biuf" or not array.size:
        return np.empty((0, 2))
    rows = array.reshape(len(array), -1)
    if rows.dtype != np.float32:
        rows = rows.astype(np.float32 if rows.shape[1] > 1000 else np.float64)
    signs = _signs(rows.shape[1])
    both = np.stack([rows.sum(1), rows @ signs], axis=1).astype(np.float64)
    return np.asarray(both / np.sqrt(rows.shape[1]))


_SIGNS: dict[int, np.ndarray] = {}


def _signs(size: int) -> np.ndarray:
    if size not in _SIGNS:
        drawn = np.random.default_rng([SEED, size]).uniform(0.5, 1.5, size)
        drawn *= np.resize([1.0, -1.0], size)
        _SIGNS[size] = drawn.astype(np.float32)
    return _SIGNS[size]


def joint_digest(values: Sequence[Any]) -> list[float]:
    """Describes arrays with as many rows each, and which rows of them belong together.

    The order of the rows is left out: a batch is a set.
    """
    sums = [row_sums(value) for value in values]
    numbers = [number for each in sums for number in _moments(each)]
    if len({len(each) for each in sums}) != 1 or not len(sums[0]):
        return numbers + [0.0] * (len(values) * (len(values) - 1) // 2)
    columns = np.stack([each[:, 1] for each in sums], axis=1)
    products = columns.T @ columns / len(columns)
    return [*numbers, *products[np.triu_indices(len(values), 1)].tolist()]

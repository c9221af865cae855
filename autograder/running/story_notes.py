"""What happens in the training of an agent, as rows of numbers by stream.

A row is short, whatever it describes, so the table of our own training stays small, and a handout
compares without a solution. It begins with the updates so far, its own number in time, and the
number of the part that was running. What a student's objects raise here costs a note alone.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from torch import nn

from autograder.running.kept_bytes import kept_bytes
from autograder.running.probing import plain_array

PROJECTIONS = 16  # of each weight change
MOST_ROWS = 3000  # of a stream: no right run has so many
SEED = 285
LARGE = 4096  # numbers of an array that are looked at; of a larger one, so many at equal distances
WEIGHED = 10  # calls of a part before and after which objects are weighed: it takes time
KEPT_BYTES = 400  # of a call
NUMBERS = (bool, int, float, np.generic)
Find = Callable[[], Any]


class WeightSketch:
    """A few fixed projections of how far weights have come from where they began.

    Each weight's change is given a random sign and added to one of 16 sums. The length of these
    numbers estimates the length of the whole change, and so does that of a difference of two.
    """

    def __init__(self, weights: Sequence[torch.Tensor]) -> None:
        """Keeps the weights as they are now."""
        self.start = flat(weights)
        signs = np.random.default_rng(SEED).integers(0, 2, self.start.numel(), dtype=np.int8)
        self.signs = torch.from_numpy(2.0 * signs - 1.0).float()

    def of(self, weights: Sequence[torch.Tensor]) -> list[float]:
        """Returns the projections of the change; nan where there are other weights than before."""
        now = flat(weights)
        if now.shape != self.start.shape:
            return [np.nan] * PROJECTIONS
        change = now.sub_(self.start).mul_(self.signs)
        whole = change.numel() // PROJECTIONS * PROJECTIONS
        sums = change[:whole].view(-1, PROJECTIONS).sum(0)
        sums[: change.numel() - whole] += change[whole:]
        numbers: list[float] = sums.tolist()
        return numbers


@torch.no_grad()
def flat(weights: Sequence[torch.Tensor]) -> torch.Tensor:
    """Returns a copy of all weights in a row."""
    return torch.cat([weight.detach().reshape(-1).float() for weight in weights])


class Notes:
    """Rows by stream, and what is known of the agent that they describe."""

    def __init__(self, parts: Sequence[str]) -> None:
        """Takes the names of all parts."""
        self.rows: dict[str, list[list[float]]] = {}
        self.parts = {name: number for number, name in enumerate(parts)}
        self.open = list[str]()  # parts that are running, the innermost last
        self.raised_in: str | None = None
        self.updates = self.number = 0
        self.latest: dict[str, list[float]] = {}
        self.networks: dict[str, Find] = {}
        self.optimizers: dict[str, Find] = {}
        self.begun: dict[str, WeightSketch] = {}
        self.known: dict[int, WeightSketch] = {}  # by the identity of a network's first weight
        self.owners: list[Any] = []  # objects that are weighed
        self.weights: list[int] = []  # what they keep, after each update
        self.weighed = Counter[str]()

    def look_at(self, networks: Mapping[str, Find], optimizers: Mapping[str, Find]) -> None:
        """Looks at the agent's networks from now on; those that it lacks are left out."""
        self.networks = {name: find for name, find in networks.items() if find() is not None}
        self.optimizers = {name: f for name, f in optimizers.items() if name in self.networks}
        for name, find in self.networks.items():
            weights = weights_of(find())
            self.begun[name] = self.known[id(weights[0])] = WeightSketch(weights)

    def note(self, stream: str, numbers: Sequence[float]) -> None:
        """Appends a row."""
        self.number += 1
        rows = self.rows.setdefault(stream, [])
        if len(rows) < MOST_ROWS:
            caller = self.parts.get(self.open[-1], -1) if self.open else -1
            rows.append([self.updates, self.number, caller, *numbers])

    def note_change(self, stream: str, numbers: list[float]) -> None:
        """Appends a row where it is another one than before: what stays needs one row."""
        if self.latest.get(stream) != numbers:
            self.latest[stream] = numbers
            self.note(stream, numbers)

    def describe(self, stream: str, values: Sequence[Any], kinds: bool = True) -> None:
        """Appends what some values are: numbers and arrays in their order, weights, their kinds."""
        numbers, moved, kind = list[float](), list[float](), list[float]()
        for value in values:
            if weights := weights_of(value):
                sketch = self.known.get(id(weights[0]))
                moved += sketch.of(weights) if sketch else [0.0] * PROJECTIONS
                numbers.append(float(sketch is not None))  # one of the agent's own?
            elif isinstance(value, (torch.Tensor, np.ndarray, *NUMBERS)):
                array = as_array(value)
                numbers += described(array)
                if kinds:
                    kind += [array.ndim, ord(array.dtype.char), torch.is_tensor(value)]
            elif isinstance(value, list | tuple) and all(type(one) is np.ndarray for one in value):
                numbers += described(np.concatenate([np.ravel(one) for one in value or [[]]]))
            elif isinstance(value, list | tuple | dict):
                numbers.append(float(len(value)))
        self.note(stream, numbers)
        if moved:
            self.note(f"{stream} weights", moved)
        if kind:
            self.note_change(f"{stream} kinds", kind)

    def note_held(self, stream: str, owner: Any) -> None:
        """Appends the numbers that a part's object holds, where they change."""
        for name, number in own_numbers(owner).items():
            self.note_change(f"{stream} self.{name}", [number])

    def note_networks(self, stream: str, names: Sequence[str]) -> None:
        """Appends how far networks have come, and at which rate they learn."""
        for name in names:
            if name in self.networks:
                weights = weights_of(self.networks[name]())
                self.note(f"{stream} {name} weights", self.begun[name].of(weights))
            if name in self.optimizers:
                self.note(f"{stream} {name} rate", [self.optimizers[name]().param_groups[0]["lr"]])

    def end_update(self) -> None:
        """Appends how far all networks have come, and weighs what is kept."""
        for name, find in self.networks.items():
            self.note(f"{name} weights", self.begun[name].of(weights_of(find())))
        self.weights.append(kept_bytes(self.owners))
        self.updates += 1

    def weigh(self, part: str) -> int:
        """Returns how much all objects keep, around the first calls of a part; later 0."""
        self.weighed[part] += 1
        return kept_bytes(self.owners) if self.weighed[part] <= 2 * WEIGHED else 0

    @property
    def keeps_more(self) -> bool:
        """Whether each update keeps more than a number or two, in both halves of a run."""
        half = len(self.weights) // 2
        first, middle, last = (self.weights[i] for i in (0, half, -1)) if half else (0, 0, 0)
        return min(middle - first, last - middle) > KEPT_BYTES * half

    def footprint(self) -> tuple[Any, ...]:
        """Returns what a call may leave otherwise: gradients, and which weights learn."""
        every = {name: [*every_weight(find())] for name, find in self.networks.items()}
        weights = [weight for each in every.values() for weight in each]
        learning = [id(weight) for name in self.optimizers for weight in every[name]]
        places = {weight.data_ptr() for weight in weights}
        flags = [weight.requires_grad for weight in weights]
        return torch.is_grad_enabled(), flags, learning, len(places) < len(weights)

    def arrays(self) -> dict[str, np.ndarray]:
        """Returns each stream as an array; short rows end with zeros."""
        found = {}
        for name, rows in self.rows.items():
            width = max(map(len, rows))
            found[name] = np.array([row + [0.0] * (width - len(row)) for row in rows], np.float64)
        return found


def as_array(value: Any) -> np.ndarray:
    """Returns numbers as an array; quicker than `plain_array`, and not a copy."""
    if torch.is_tensor(value):
        return value.detach().numpy()
    return value if type(value) is np.ndarray else plain_array(value)


def described(array: np.ndarray) -> list[float]:
    """Describes an array: its size, its mean and mean square, and a projection of its order."""
    size = array.size
    if array.dtype.kind not in "biuf" or not size:
        return [0.0] * 4
    numbers = array.reshape(-1)
    if size > LARGE:
        numbers = numbers[:: size // LARGE | 1]
    numbers = numbers.astype(np.float64)
    seen, signs = len(numbers), signs_of(len(numbers))
    square, mixed = float(numbers @ numbers), float(numbers @ signs)
    return [float(size), float(np.add.reduce(numbers)) / seen, square / seen, mixed / seen**0.5]


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
        return [*every_weight(value)]
    if isinstance(value, list | tuple) and value and isinstance(value[0], nn.Parameter):
        return [*value] if all(map(torch.is_tensor, value)) else []
    return []


def every_weight(network: nn.Module) -> Iterator[torch.Tensor]:
    """Yields all weights. It is called so often that `parameters()` would take half of the time."""
    yield from (weight for weight in network._parameters.values() if weight is not None)
    for part in network._modules.values():
        if part is not None:
            yield from every_weight(part)


def own_numbers(owner: Any, deeper: bool = True) -> dict[str, float]:
    """Returns what an object holds in numbers, by name: its own, and those of what it keeps."""
    found = dict[str, float]()
    for name, value in getattr(owner, "__dict__", {}).items():
        if isinstance(value, NUMBERS):
            if name[0] != "_" and name != "training":
                found[name] = float(value)
        elif type(value) is list and len(value) == 1 and isinstance(value[0], float):
            found[name] = value[0]  # such as a scheduler's base rates
        elif deeper and hasattr(value, "__dict__"):
            if not isinstance(value, nn.Module | torch.optim.Optimizer | gym.Env | type):
                inner = own_numbers(value, False)
                found |= {f"{name}.{key}": number for key, number in inner.items()}
    return found


def gradients(results: Sequence[Any], values: Sequence[Any]) -> list[float]:
    """Describes where gradients of results lead, by what was given; nan if there is no way."""
    into = [w for v in values for w in weights_of(v) or ([v] if torch.is_tensor(v) else [])]
    into = [weight for weight in into if weight.requires_grad]
    learn = [result for result in results if getattr(result, "requires_grad", False)]
    try:
        whole = sum((place + 1) * result.sum() for place, result in enumerate(learn))
        ways = dict(retain_graph=True, allow_unused=True)
        found = torch.autograd.grad(whole, into, **ways) if into else []
    except RuntimeError:
        return [np.nan] * 4
    every = [[0.0] * 4 if one is None else described(as_array(one)) for one in found]
    return [number for one in every[:10] for number in one]

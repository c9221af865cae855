"""What happens in the training of an agent, as rows of numbers by stream.

A row is short, whatever it describes, so the table of our own training stays small, and a handout
compares without a solution. It begins with the updates so far, its own number in time, and the
number of the part that was running. What a student's objects raise here costs a note alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from autograder.running.kept_bytes import LINK, kept_bytes
from autograder.running.story_numbers import (
    NUMBERS,
    WeightSketch,
    as_array,
    described,
    every_weight,
    hooks_of,
    own_numbers,
    weights_of,
)
from autograder.running.story_traces import HELD, KINDS, LEFT, PROJECTIONS, WEIGHTS

MOST_ROWS = 3000  # of a stream: no right run has so many
LOOKS = 100  # calls of a part around which networks are looked at
SPARSELY = 8  # updates, after which only every fourth one is weighed
KEPT_BYTES = 400  # of a call
Find = Callable[[], Any]


Described = tuple[list[float], list[float]]
"""Numbers of arrays, and of weights."""
NOTHING: Described = [], []


class Notes:
    """Rows by stream, and what is known of the agent that they describe."""

    def __init__(self, parts: Sequence[str], most: int = MOST_ROWS) -> None:
        """Takes the names of all parts, and how many calls of each are noted."""
        self.most = most
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
        self.weights: list[tuple[int, int]] = []  # after how many updates, what they keep

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

    def note_values(
        self, stream: str, values: Sequence[Any], before: Described = NOTHING
    ) -> Described:
        """Appends what some values are, less what they were before; returns what they are.

        Changes mostly stay none, from call to call.
        """
        now = self.described(values)
        for ending, numbers, then in zip(("", WEIGHTS), now, before, strict=True):
            if numbers or not ending:
                change = [
                    one - other
                    for one, other in itertools.zip_longest(numbers, then, fillvalue=0.0)
                ]
                note = self.note_change if stream.endswith(LEFT) else self.note
                note(f"{stream}{ending}", change)
        return now

    def described(self, values: Sequence[Any]) -> Described:
        """Returns what some values are: numbers and arrays in their order, and weights."""
        numbers, moved = list[float](), list[float]()
        for value in values:
            if weights := weights_of(value):
                sketch = self.known.get(id(weights[0]))
                moved += sketch.of(weights) if sketch else [0.0] * PROJECTIONS
                numbers.append(float(sketch is not None))  # one of the agent's own?
            elif isinstance(value, (torch.Tensor, np.ndarray, *NUMBERS)):
                numbers += described(as_array(value))
            elif isinstance(value, list) and value and type(value[0]) is np.ndarray:
                numbers += described(np.concatenate([np.ravel(one) for one in value]))
            elif isinstance(value, list | tuple | dict):
                numbers.append(float(len(value)))
        return numbers, moved

    def note_kinds(self, stream: str, values: Sequence[Any]) -> None:
        """Appends of which kind some values are, where that changes."""
        kinds = [float(len(values))]
        for value in values:
            if isinstance(value, (torch.Tensor, np.ndarray, *NUMBERS)):
                array = as_array(value)
                kinds += [array.ndim, ord(array.dtype.char), torch.is_tensor(value)]
            else:
                kinds += [-1.0, float(isinstance(value, dict)), value is None]
        self.note_change(f"{stream}{KINDS}", kinds)

    def note_held(
        self, stream: str, owner: Any, before: Mapping[str, float] | None = None
    ) -> dict[str, float]:
        """Appends the numbers that a part's object holds, where they change; returns them.

        `before`: what they were when the call began; else those of the latest row are meant.
        """
        now = own_numbers(owner)
        for name, number in now.items():
            key = f"{stream}{HELD}{name}"
            (then,) = self.latest.get(key, [None])
            if then is None or number != (then if before is None else before.get(name)):
                self.latest[key] = [number]
                self.note(key, [number])
        return now

    def note_networks(self, stream: str, names: Sequence[str]) -> None:
        """Appends how far networks have come, and at which rate they learn."""
        for name in names:
            if name in self.networks:
                weights = weights_of(self.networks[name]())
                self.note(f"{stream} {name}{WEIGHTS}", self.begun[name].of(weights))
            if name in self.optimizers:
                self.note(f"{stream} {name} rate", [self.optimizers[name]().param_groups[0]["lr"]])

    def end_update(self) -> None:
        """Appends how far all networks have come, and weighs what is kept."""
        for name, find in self.networks.items():
            self.note(f"{name}{WEIGHTS}", self.begun[name].of(weights_of(find())))
        if self.updates < SPARSELY or self.updates % 4 == 0:
            self.weights.append((self.updates, self.weigh()))
        self.updates += 1

    def weigh(self) -> int:
        """Returns how much all objects keep, and networks in hooks."""
        return kept_bytes(self.owners) + LINK * self.hooks()

    def hooks(self) -> int:
        """Returns how many functions all networks call besides their own."""
        return sum(hooks_of(find()) for find in self.networks.values())

    @property
    def keeps_more(self) -> bool:
        """Whether each update keeps more than a number or two, in both halves of a run."""
        if len(self.weights) < 3:
            return False
        ends = [self.weights[place] for place in (0, len(self.weights) // 2, -1)]
        halves = itertools.pairwise(ends)
        return all(
            more - less > KEPT_BYTES * (late - early) for (early, less), (late, more) in halves
        )

    def footprint(self) -> tuple[Any, ...]:
        """Returns what a call may leave otherwise: gradients, which weights learn, and hooks."""
        every = {name: every_weight(find()) for name, find in self.networks.items()}
        weights = [weight for each in every.values() for weight in each]
        learning = [id(weight) for name in self.optimizers for weight in every[name]]
        places = {weight.data_ptr() for weight in weights}
        flags = [weight.requires_grad for weight in weights]
        shared = len(places) < len(weights)
        return torch.is_grad_enabled(), flags, learning, shared, self.hooks()

    def arrays(self) -> dict[str, np.ndarray]:
        """Returns each stream as an array; short rows end with zeros."""
        found = {}
        for name, rows in self.rows.items():
            width = max(map(len, rows))
            found[name] = np.array([row + [0.0] * (width - len(row)) for row in rows], np.float64)
        return found

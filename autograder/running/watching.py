"""Watches the parts of an agent while it runs: what each is given, returns and leaves behind.

Classes are patched, not objects, so that an agent that copies itself stays what it is. Arguments
are bound by the student's own signature. Nothing is drawn at random, and whatever goes wrong here
costs a note, not the run.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from autograder.running.kept_bytes import kept_bytes
from autograder.running.streams import Streams, WeightSketch, digest, joint_digest
from autograder.running.traces import FROZEN, GRADIENTS, KEPT, LEFT, REPLACED, SEEDS

LIST = ", "
KEPT_BYTES = 400  # of a call
LOOKS = 200  # calls of a part whose traces are looked for


@dataclass(frozen=True)
class Part:
    """A method, or function, whose calls are noted.

    Attributes:
        place: "module:name" or "module:class.name"; the module is one of `cs285`, or any whose
            first name is torch.
        name: What its streams are called: "`name` given", and "`name` returns".
        given: The parameters whose values are noted, in the course's order.
        returns: Makes an array of what it returns, or a tuple of arrays with as many rows; None:
            that is not noted.
        trains: The network that it trains, one of `Watch.trained`: its weights and its optimizer's
            rate are noted after each call.
        within: The part within whose calls alone anything is noted.
        ticks: Whether an iteration calls it several times, one after the other.
    """

    place: str
    name: str
    given: tuple[str, ...] = ()
    returns: Callable[[Any], Any] | None = None
    trains: str = ""
    within: str = ""
    ticks: bool = False


@dataclass(frozen=True)
class Trained:
    """A network that learns, and whose object has the optimizer for it."""

    owner: Any
    network: nn.Module  # as it was at the beginning
    now: Callable[[], nn.Module]  # what is in its place now
    sketch: WeightSketch


class _Footprint(NamedTuple):
    """What a call may leave behind."""

    gradients: bool
    flags: tuple[bool, ...]  # whether gradients reach each weight that learns
    weights: tuple[int, ...]  # the identity of each of them
    names: set[str]  # the attributes of all objects


@dataclass
class _Call:
    """A call of a part that is going on."""

    part: str
    before: _Footprint | None
    seeds: set[float] = field(default_factory=set)
    explained: set[float | str] = field(default_factory=set)  # what calls within it have left


@dataclass
class Watch:
    """Notes what the parts of one agent do."""

    streams: Streams
    owners: Mapping[str, Any] = field(default_factory=dict)  # objects that are looked at, by name
    trained: Mapping[str, Trained] = field(default_factory=dict)
    calls: list[_Call] = field(default_factory=list)  # that are going on, the innermost last
    counts: Counter[str] = field(default_factory=Counter)  # calls of each part
    weights: list[int] = field(default_factory=list)  # bytes that are kept after each `train`

    def begin(self, owners: Mapping[str, Any], trained: Mapping[str, Trained]) -> None:
        """Looks at these from now on."""
        self.owners, self.trained = owners, trained

    def enters(self, part: str) -> None:
        """Begins a call; the first ones of each part are looked at, for that takes time."""
        self.counts[part] += 1
        looked_at = self.owners and self.counts[part] <= LOOKS
        self.calls.append(_Call(part, self._footprint() if looked_at else None))

    def leaves(self) -> None:
        """Ends a call, and notes what is not as it was, unless a call within has left that."""
        call = self.calls.pop()
        if call.before is None:
            return
        now, found = self._footprint(), set(call.seeds)
        found |= {GRADIENTS} if now.gradients != call.before.gradients else set()
        found |= {FROZEN} if now.flags != call.before.flags else set()
        found |= {REPLACED} if now.weights != call.before.weights else set()
        names = now.names - call.before.names
        for kind in found - call.explained:
            self.streams.note(f"{LEFT}{call.part}", [kind])
        if new := LIST.join(sorted(names - call.explained)):
            self.streams.note(f"{KEPT}{call.part}", new.encode()[:200])
        for outer in self.calls:
            outer.explained |= found | names

    def weigh(self) -> None:
        """Notes how much the owners keep."""
        self.weights.append(kept_bytes(self.owners.values()))

    @property
    def keeps_more(self) -> bool:
        """Whether each call of `train` keeps more than a number or two, in both halves of a run."""
        half = len(self.weights) // 2
        first, middle, last = (self.weights[i] for i in (0, half, -1)) if half else (0, 0, 0)
        return min(middle - first, last - middle) > KEPT_BYTES * half

    def seeded(self) -> None:
        """Notes that a generator was set back."""
        if self.calls:
            self.calls[-1].seeds.add(SEEDS)

    def _footprint(self) -> _Footprint:
        weights = [weight for one in self.trained.values() for weight in _weights(one.now())]
        flags = tuple(weight.requires_grad for weight in weights)
        names = {f"{name}.{key}" for name, one in self.owners.items() for key in vars(one)}
        return _Footprint(torch.is_grad_enabled(), flags, tuple(map(id, weights)), names)

    def note_training(self, name: str) -> None:
        """Notes how far a network has come, its optimizer's rate, and whose weights that has."""
        if name not in self.trained:
            return
        one = self.trained[name]
        self.streams.note(f"{name} then", one.sketch.of(one.network))
        optimizer = getattr(one.owner, "optimizer", None)
        if isinstance(optimizer, torch.optim.Optimizer):
            groups = optimizer.param_groups
            held = {id(weight) for group in groups for weight in group["params"]}
            own = {id(weight) for weight in one.network.parameters()}
            shared = len(held & own) / max(1, len(held | own))
            self.streams.note(f"{name}'s optimizer", [groups[0]["lr"], shared])


def _weights(network: nn.Module) -> Iterator[nn.Parameter]:
    """Yields all weights. It is called so often that `parameters()` would take half of the time."""
    yield from (weight for weight in network._parameters.values() if weight is not None)
    for part in network._modules.values():
        if part is not None:
            yield from _weights(part)


def number_of(things: Any) -> list[int]:
    """Returns how many things were returned."""
    return [len(things)]


@contextlib.contextmanager
def at_the_cost_of_a_note() -> Iterator[None]:
    """Lets a run go on where what the student's code hands over cannot be noted."""
    try:
        yield
    except Exception:  # noqa: BLE001  (a student's object may raise anything)
        return


@contextlib.contextmanager
def watched(parts: Sequence[Part], watch: Watch) -> Iterator[None]:
    """Notes what these parts do, for a while."""
    with contextlib.ExitStack() as stack:
        for part in parts:
            owner, name = _owner_of(part.place)
            if owner is not None and callable(getattr(owner, name, None)):
                stack.enter_context(_replaced(owner, name, _noting(owner, name, part, watch)))
        for module, name in ((torch, "manual_seed"), (np.random, "seed"), (random, "seed")):
            stack.enter_context(_replaced(module, name, _seeding(getattr(module, name), watch)))
        yield


def _owner_of(place: str) -> tuple[Any, str]:
    """Returns the module or class that has a part, and the part's name; None if it is not there."""
    module, _, path = place.partition(":")
    *above, name = path.split(".")
    try:
        full = module if module.startswith("torch") else f"cs285.{module}"
        owner: Any = importlib.import_module(full)
        for each in above:
            owner = getattr(owner, each)
    except Exception:  # noqa: BLE001  (another check reports what is wrong with the file)
        return None, name
    if isinstance(owner, type):  # the class of the family that defines it
        owner = next((each for each in owner.__mro__ if name in vars(each)), None)
    return owner, name


@contextlib.contextmanager
def _replaced(owner: Any, name: str, new: Any) -> Iterator[None]:
    original = vars(owner)[name]
    setattr(owner, name, new)
    try:
        yield
    finally:
        setattr(owner, name, original)


def _seeding(original: Callable[..., Any], watch: Watch) -> Callable[..., Any]:
    @functools.wraps(original)
    def seed(*args: Any, **kwargs: Any) -> Any:
        watch.seeded()
        return original(*args, **kwargs)

    return seed


def _noting(owner: Any, name: str, part: Part, watch: Watch) -> Callable[..., Any]:
    """Returns what stands in a part's place, does the same, and notes it."""
    original = getattr(owner, name)
    signature = inspect.signature(original)
    of_class = isinstance(owner, type)

    def note_given(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        bound = signature.bind(*args, **kwargs).arguments
        named = all(key in bound for key in part.given)
        by_place = [*bound.values()][of_class:]
        values = [bound[key] for key in part.given] if named else by_place
        watch.streams.note(f"{part.name} given", joint_digest(values))

    @functools.wraps(original)
    def noting(*args: Any, **kwargs: Any) -> Any:
        noted = not part.within or any(call.part == part.within for call in watch.calls)
        if part.given and noted:
            with at_the_cost_of_a_note():
                note_given(args, kwargs)
        watch.enters(part.name)
        try:
            value = original(*args, **kwargs)
        finally:
            watch.leaves()
        with at_the_cost_of_a_note(), torch.no_grad():
            if part.returns is not None and noted:
                made = part.returns(value)
                numbers = joint_digest(made) if isinstance(made, tuple) else digest(made)
                watch.streams.note(f"{part.name} returns", numbers)
            watch.note_training(part.trains)
        if part.ticks:
            watch.streams.tick()
        return value

    return noting

"""The probe of a check: a module of ours, or what a blank's file declares.

There a [probe] asks a function, and a [scene] an object. A [story] trains a whole agent.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import nn

from autograder.base.checks import declared
from autograder.running.asking import Asking, Options
from autograder.running.declared_cases import values
from autograder.running.declared_words import flat
from autograder.running.draws import repeated
from autograder.running.probing import Student, plain_array, tensor_types
from autograder.running.story import Story, StoryOptions

Weights = list[torch.Tensor]


@functools.cache
def load(place: str) -> Any:
    """Returns the probe of a place such as "autograder.homeworks.hw4.probes.sac_targets"."""
    tables = declared(place)
    return importlib.import_module(place) if tables is None else declared_probe(tables)


def declared_probe(tables: Mapping[str, Any]) -> Asking | Story:
    """Returns the probe that the tables of a blank's file declare.

    Raises:
        TypeError: If [probe], [scene] or [story] has an unknown key, or lacks one.
    """
    options = {"probe": ProbeOptions, "scene": Options, "story": StoryOptions}
    kind = next(kind for kind in options if kind in tables)
    known = [field.name for field in dataclasses.fields(options[kind])]
    for key in tables[kind].keys() - known:
        raise TypeError(f"[{kind}] has no key {key!r}; it may have {', '.join(known)}")
    if kind == "story":
        return Story(tables)
    if kind == "scene":
        return Scene(Options(**tables[kind]), tables)
    return Probe(ProbeOptions(**tables[kind]), tables)


@dataclasses.dataclass(frozen=True)
class ProbeOptions(Options):
    """The keys of [probe]."""

    gives: Sequence[str] = ("result",)
    learns: Sequence[str] = ()
    no_grad: bool = False
    times: int = 2
    squeeze: bool = False


class Probe(Asking):
    """Asks a function as the agent asks it, and once more with fresh copies.

    Each name of `gives` is noted, and its gradient by each of `learns`. Flags: `inputs_changed` in
    place, `requires_grad_changed` (gradients were switched), `gradients_left` behind in an
    argument, `no_tensor`, `not_repeatable`.
    """

    how: ProbeOptions

    def ask(self, student: Student, names: dict[str, Any]) -> bool:
        """Notes what the function returns, where gradients lead, and what it leaves behind."""
        how, given = self.how, self.tables["given"]
        arrays = {k: one for k, one in names.items() if k in given and isinstance(one, np.ndarray)}
        leaves = {key: self._leaf(key, array) for key, array in arrays.items()}
        networks = [one for one in names.values() if isinstance(one, nn.Module)]
        weights = [weight for network in networks for weight in network.parameters()]
        before = [weight.requires_grad for weight in weights]
        with torch.set_grad_enabled(not how.no_grad):
            copies = self._copies(leaves)
            found = self._results({**names, **copies})
            changed = not all(alike(copies[key], leaf) for key, leaf in leaves.items())
            switched = torch.is_grad_enabled() == how.no_grad
            torch.set_grad_enabled(not how.no_grad)
            touched: Iterable[Any] = (*leaves.values(), *weights)
            left = any(getattr(one, "grad", None) is not None for one in touched)
            times = 0 if left else how.times - 1  # there may be no graph any more
            more = [self._results({**names, **self._copies(leaves)}) for _ in range(times)]
        switched |= before != [weight.requires_grad for weight in weights]
        flags = {"inputs_changed": changed, "requires_grad_changed": switched}
        flags["gradients_left"] = left
        if not left:
            self.note(student, self._noted(found, names, leaves))
            flags["no_tensor"] = not how.numpy and not all(map(torch.is_tensor, found.values()))
            pairs = [(one, again.get(name)) for again in more for name, one in found.items()]
            flags["not_repeatable"] = not all(repeated(*map(plain_array, pair)) for pair in pairs)
        self.raise_flags(student, flags)
        return not left

    def _leaf(self, name: str, array: np.ndarray) -> Any:
        if self.how.numpy:
            return array
        return torch.tensor(array, requires_grad=name in self.how.learns)

    def _copies(self, leaves: Mapping[str, Any]) -> dict[str, Any]:
        """Returns copies that the function may have; those of leaves that learn carry a graph."""
        return {k: one.copy() if self.how.numpy else one.clone() for k, one in leaves.items()}

    def _results(self, names: dict[str, Any]) -> dict[str, Any]:
        """Returns what came back, by its names; one thing too many or too few as it is."""
        returned = self.called(names)
        several = len(self.how.gives) > 1 and isinstance(returned, tuple)
        return dict(zip(self.how.gives, returned if several else (returned,), strict=False))

    def _noted(
        self, found: Mapping[str, Any], names: Mapping[str, Any], leaves: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Returns results, and their gradients, by the names under which they are noted."""
        noted, when = dict[str, Any](), names.get("when", "")
        for name, result in found.items():
            array = plain_array(result)
            noted[f"{name}{when}"] = array.squeeze() if self.how.squeeze else array
            code = f"`{name}`" if "_" in name else name
            for key in self.how.learns:
                weights = [leaves[key]] if key in leaves else [*names[key].parameters()]
                noted[f"gradient of {code} by `{key}`{when}"] = gradient(result, weights)
        return noted


class Scene(Asking):
    """Asks an object, or code that keeps something, turn by turn.

    Rows of [reads] stay if the code raises something in a later turn. Flags: `inputs_changed` (an
    array of a turn), `without_gradients` (they were switched off), `keeps_graphs` (`self` has
    tensors with graphs).
    """

    def take_turn(self, names: dict[str, Any], turn: Mapping[str, Any]) -> None:
        """Writes a turn's arrays where those of the last turn are: what is kept of them shows."""
        for name, row in turn.items():
            names[name] = self._written(names.get(name) if names["nth"] else None, row)
        names["given"] = dict(turn)

    def _written(self, buffer: Any, row: Any) -> Any:
        if np.ndim(row) == 0:
            return row.item() if isinstance(row, np.generic) else row
        array = np.asarray(row)
        if buffer is None or tuple(buffer.shape) != array.shape:
            return array.copy() if self.how.numpy else torch.tensor(array)
        if isinstance(buffer, np.ndarray):
            buffer[...] = array
        else:
            with torch.no_grad():
                buffer.detach_().copy_(torch.as_tensor(array))  # a body may put a graph into it
        return buffer

    def ask(self, student: Student, names: dict[str, Any]) -> bool:
        """Asks once, and notes a row of what is read; flags even where something is raised."""
        flags = dict[str, bool]()
        try:
            try:
                names["result"] = self.called(names)
            finally:
                flags = self._flags(names)
            self.note(student, values(self.tables.get("reads", {}), names), in_rows=True)
        finally:
            self.raise_flags(student, flags)
        return True

    def _flags(self, names: Mapping[str, Any]) -> dict[str, bool]:
        """Returns what the code left behind, and switches gradients on."""
        switched = not torch.is_grad_enabled()
        torch.set_grad_enabled(True)
        given = {name: row for name, row in names["given"].items() if np.ndim(row)}
        return {
            "inputs_changed": not all(alike(names[name], row) for name, row in given.items()),
            "without_gradients": switched,
            "keeps_graphs": "self" in names and keeps_graphs(names["self"]),
        }


def alike(one: Any, other: Any) -> bool:
    """Returns whether two arrays, or two tensors, have the same numbers."""
    return np.array_equal(plain_array(one), plain_array(other), equal_nan=True)


def gradient(result: Any, weights: Weights) -> np.ndarray:
    """Returns the gradient of a result, whose rows have weights of their own, up to 1.

    Of one leaf it has the leaf's shape, of several it is a vector; zeros where there is none.
    """
    every: Sequence[torch.Tensor] = [torch.zeros_like(weight) for weight in weights]
    if torch.is_tensor(result) and result.requires_grad:
        shape = (-1, *[1] * (result.ndim - 1)) if result.ndim else ()
        number = len(result) if result.ndim else 1
        rows = torch.linspace(0, 1, number + 1)[1:].reshape(shape)
        how: dict[str, Any] = {"retain_graph": True, "materialize_grads": True}
        every = torch.autograd.grad((result * rows).sum(), weights, **how)
    return plain_array(every[0]) if len(every) == 1 else flat(every)


def keeps_graphs(thing: Any) -> bool:
    """Returns whether a tensor among an object's attributes carries what it was made from."""
    found = list(vars(thing).values())
    found += [one for each in found if isinstance(each, list | tuple) for one in each]
    return any(type(one) in tensor_types() and one.grad_fn is not None for one in found)

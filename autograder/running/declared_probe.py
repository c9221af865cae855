"""A [probe]: a function, asked as the agent asks it, and once more with fresh copies.

Each name of `gives` is noted, and its gradient by each of `learns`. Flags: `inputs_changed` in
place, `requires_grad_changed` (gradients were switched), `gradients_left` behind in an argument,
`no_tensor`, `not_repeatable`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from autograder.running.declared import Declared, Options, same
from autograder.running.draws import repeated
from autograder.running.probing import Student, plain_array

Weights = list[torch.Tensor]


@dataclass(frozen=True)
class ProbeOptions(Options):
    """The keys of [probe]."""

    gives: Sequence[str] = ("result",)
    learns: Sequence[str] = ()
    no_grad: bool = False
    times: int = 2
    squeeze: bool = False


class Probe(Declared):
    """Asks a function."""

    how: ProbeOptions

    def ask(self, student: Student, names: dict[str, Any]) -> bool:
        """Notes what the function returns, where gradients lead, and what it leaves behind."""
        how = self.how
        arrays = {key: one for key, one in names.items() if self._is_input(key, one)}
        leaves = {key: self._leaf(key, array) for key, array in arrays.items()}
        networks = [one for one in names.values() if isinstance(one, nn.Module)]
        weights = [weight for network in networks for weight in network.parameters()]
        before = [weight.requires_grad for weight in weights]
        with torch.set_grad_enabled(not how.no_grad):
            given = self._fresh(leaves)
            found = self._results(self.called({**names, **given}))
            changed = not all(same(given[key], leaf) for key, leaf in leaves.items())
            switched = torch.is_grad_enabled() == how.no_grad
            torch.set_grad_enabled(not how.no_grad)
            touched: Iterable[Any] = (*leaves.values(), *weights)
            left = any(getattr(one, "grad", None) is not None for one in touched)
            more = [] if left else self._again(names, leaves)  # there may be no graph any more
        switched |= before != [weight.requires_grad for weight in weights]
        flags = {
            "inputs_changed": changed,
            "requires_grad_changed": switched,
            "gradients_left": left,
        }
        if not left:
            learns = {key: self._learning(key, names, leaves) for key in how.learns}
            self.note(student, self._noted(found, learns, names))
            flags["no_tensor"] = not how.numpy and not all(map(torch.is_tensor, found.values()))
            flags["not_repeatable"] = not all(agree(found, again) for again in more)
        self.raise_flags(student, flags)
        return not left

    def _is_input(self, name: str, found: Any) -> bool:
        return isinstance(found, np.ndarray) and name in self.tables["given"]

    def _leaf(self, name: str, array: np.ndarray) -> Any:
        if self.how.numpy:
            return array
        return torch.tensor(array, requires_grad=name in self.how.learns)

    def _fresh(self, leaves: Mapping[str, Any]) -> dict[str, Any]:
        """Returns copies that the function may have; those of leaves that learn carry a graph."""
        return {k: one.copy() if self.how.numpy else one.clone() for k, one in leaves.items()}

    def _again(self, names: Mapping[str, Any], leaves: Mapping[str, Any]) -> list[dict[str, Any]]:
        times = range(self.how.times - 1)
        return [self._results(self.called({**names, **self._fresh(leaves)})) for _ in times]

    def _results(self, returned: Any) -> dict[str, Any]:
        """Returns what came back, by its names; one thing too many or too few as it is."""
        several = len(self.how.gives) > 1 and isinstance(returned, tuple)
        return dict(zip(self.how.gives, returned if several else (returned,), strict=False))

    def _learning(
        self, name: str, names: Mapping[str, Any], leaves: Mapping[str, torch.Tensor]
    ) -> Weights:
        return [leaves[name]] if name in leaves else [*names[name].parameters()]

    def _noted(
        self, found: Mapping[str, Any], learns: Mapping[str, Weights], names: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Returns results, and their gradients, by the names under which they are noted."""
        noted, when = dict[str, Any](), names.get("when", "")
        for name, result in found.items():
            array = plain_array(result)
            noted[f"{name}{when}"] = array.squeeze() if self.how.squeeze else array
            code = f"`{name}`" if "_" in name else name
            for key, weights in learns.items():
                noted[f"gradient of {code} by `{key}`{when}"] = gradient(result, weights)
        return noted


def agree(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Returns whether two answers are the same but for rounding."""
    return all(repeated(plain_array(one[name]), plain_array(other.get(name))) for name in one)


def gradient(result: Any, weights: Weights) -> np.ndarray:
    """Returns the gradient of a result, whose rows have weights of their own, up to 1.

    Of one leaf it has the leaf's shape, of several it is a vector; zeros where there is none.
    """
    found: Sequence[Any] = [None] * len(weights)
    if torch.is_tensor(result) and result.requires_grad:
        shape = (-1, *[1] * (result.ndim - 1)) if result.ndim else ()
        number = len(result) if result.ndim else 1
        rows = torch.linspace(0, 1, number + 1)[1:].reshape(shape)
        whole = (result * rows).sum()
        found = torch.autograd.grad(whole, weights, retain_graph=True, allow_unused=True)
    every = [
        plain_array(torch.zeros_like(weight) if one is None else one)
        for one, weight in zip(found, weights, strict=True)
    ]
    return every[0] if len(every) == 1 else np.concatenate([one.ravel() for one in every])

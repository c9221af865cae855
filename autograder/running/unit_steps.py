"""An optimizer that takes steps of one length: the scale of a loss then plays no part."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any
from unittest.mock import patch

import torch
from torch import nn

STEP_SIZE = 0.1
MOST_STEPS = 40  # that are kept


def flat(tensors: Iterable[torch.Tensor]) -> torch.Tensor:
    """Returns the numbers of tensors one after the other, apart from any graph."""
    return torch.cat([tensor.detach().reshape(-1) for tensor in tensors])


def direction(change: torch.Tensor) -> torch.Tensor:
    """Returns a change of length one, or none."""
    return change / max(float(change.norm()), 1e-12)


class UnitSteps(torch.optim.SGD):
    """Takes steps of one length down the gradient, and notes what it is asked and what it did."""

    def __init__(self, watched: Sequence[nn.Parameter]) -> None:
        """Watches some parameters."""
        super().__init__(watched, lr=STEP_SIZE)
        self.watched = watched
        for parameter in watched:
            parameter.register_hook(self._arrive)
        self.begin()

    def begin(self) -> None:
        """Forgets what it noted."""
        self.moves: list[torch.Tensor] = []
        self.early, self.backwards, self.arrived = False, 0, 0

    def _arrive(self, grad: torch.Tensor) -> None:
        self.arrived = max(self.arrived, 1 + int(grad.abs().sum() > 0))  # 1: of zeros alone

    @property
    def downhill(self) -> torch.Tensor:
        """Where the gradients that are stored point, with length one; or nowhere."""
        grads = [torch.zeros_like(p) if p.grad is None else -p.grad for p in self.watched]
        return direction(flat(grads).nan_to_num())

    def in_rows(self, begin: torch.Tensor) -> dict[str, Any]:
        """Returns what is noted of an update, of weights that were `begin`; no scale has a part."""
        moves = [torch.zeros_like(begin), *self.moves]
        end = begin + STEP_SIZE * torch.stack(moves).sum(0)
        return {
            "the direction of the step": [*moves, moves[0]][1],
            "the number of steps": len(self.moves),
            "no_backward": self.backwards == 0,
            "gradient_arrives": self.arrived,
            "steps_before_backward": self.early and self.backwards > 0,
            "moves_otherwise": not torch.allclose(flat(self.watched), end, atol=1e-5),
        }

    def step(self, closure: Any = None) -> Any:
        """Takes a step."""
        with torch.enable_grad():
            loss = None if closure is None else closure()
        move = self.downhill
        self.early |= not self.backwards
        if len(self.moves) < MOST_STEPS:
            self.moves.append(move)
        parts = torch.split(move, [parameter.numel() for parameter in self.watched])
        with torch.no_grad():
            for parameter, part in zip(self.watched, parts, strict=True):
                parameter.add_(part.view_as(parameter), alpha=STEP_SIZE)
        return loss

    @contextlib.contextmanager
    def counting(self) -> Iterator[None]:
        """Counts how often a gradient is asked for: `Tensor.backward` ends in one of these, too."""
        with contextlib.ExitStack() as stack:
            for name in ("backward", "grad"):
                counted = self._counted(getattr(torch.autograd, name))
                stack.enter_context(patch.object(torch.autograd, name, counted))
            yield

    def _counted(self, usual: Callable[..., Any]) -> Callable[..., Any]:
        def ask(*args: Any, **kwargs: Any) -> Any:
            self.backwards += 1
            return usual(*args, **kwargs)

        return ask

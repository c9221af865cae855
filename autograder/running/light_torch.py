"""Keeps PyTorch's optimizers from importing its compiler, which is half of a worker's start.

An optimizer's first step imports `torch._dynamo` for two things alone: so that functions are not
compiled, and so that compiled code ends before others. Where nothing is compiled, both do nothing.
Whoever asks for anything else of the compiler gets the real one.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

COMPILER = "torch._dynamo"


class NoCompiler(ModuleType):
    """Is in the place of the compiler until somebody needs that."""

    @staticmethod
    def graph_break(msg: str = "") -> None:
        """Ends no compiled code, for there is none."""

    @staticmethod
    def disable(fn: Any = None, *given: Any, **named: Any) -> Any:
        """Returns a function as it is: nothing compiles it."""
        return NoCompiler.disable if fn is None else fn

    def __getattr__(self, name: str) -> Any:
        """Imports the compiler, which takes this one's place; returns what it has of that name."""
        if name.startswith("__") and name != "__path__":  # some look through all modules for these
            raise AttributeError(name)
        if sys.modules.get(COMPILER) is self:
            del sys.modules[COMPILER]
        return getattr(importlib.import_module(COMPILER), name)


REAL: list[Any] = []
"""`torch.compile`, where `as_it_is` stands for it."""


def as_it_is(model: Any = None, **settings: Any) -> Any:
    """Stands for `torch.compile`: the plain function does the same, without a compiler of C++."""
    return as_it_is if model is None else model


def without_compiler() -> None:
    """Lets nothing import the compiler from now on, unless that has happened."""
    import torch

    sys.modules.setdefault(COMPILER, NoCompiler(COMPILER))
    if torch.compile is not as_it_is:
        REAL.append(torch.compile)
        torch.compile = as_it_is


def with_compiler() -> None:
    """Gives the compiler back, to whoever compiles in the same process."""
    import torch

    if REAL:
        torch.compile = REAL.pop()
    if isinstance(sys.modules.get(COMPILER), NoCompiler):
        del sys.modules[COMPILER]
        vars(torch).pop("_dynamo", None)
        importlib.import_module(COMPILER)

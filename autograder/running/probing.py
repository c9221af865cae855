"""Gives a probe the student's modules, and keeps a record of what they did.

This runs where the student's code runs. Nothing here, and nothing in a probe, knows an answer.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from autograder.base.seen import Crash, Seen
from autograder.running.crashes import describe
from autograder.running.given_code import is_given
from autograder.running.guard import TRIAL_SECONDS, guarded
from autograder.source.submission import PackageFinder

MOST_DIMENSIONS = 8


class Student:
    """The student's code, as a probe reaches it."""

    def __init__(self, finder: PackageFinder) -> None:
        """Imports through `finder`."""
        self.finder = finder
        self.seen = Seen()
        self.notes: dict[str, Any] = {}
        """Arrays of the case that is going on: they stay whatever is raised."""
        self.errors: dict[str, BaseException] = {}
        """The error of each case that crashed, for a debugger at home."""
        self.never_ended: Crash | None = None
        """The first crash of `try_in_time` that had no end."""

    def module(self, name: str) -> ModuleType:
        """Imports a module, such as "critics.dqn_critic"."""
        return importlib.import_module(f"cs285.{name}")

    def try_in_time(self, name: str, experiment: Callable[[dict[str, Any]], object]) -> None:
        """Runs an experiment, and ends it if it never ends by itself: that is what is seen of it.

        Waiting for it once is enough: all later cases have the crash of the first such one.
        """
        if self.never_ended is None:
            with guarded(TRIAL_SECONDS):
                crash = self.try_out(name, experiment)
            if crash is None or not crash.never_ends:
                return
            self.never_ended = crash
        else:
            self.seen.put(name, {}, self.never_ended)

    def try_out(self, name: str, experiment: Callable[[dict[str, Any]], object]) -> Crash | None:
        """Runs an experiment, which puts what it sees into the dict it is given.

        Whatever the student's code raises is seen, too, and returned. A warning is no fault.
        """
        record, crash = dict[str, Any](), None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                experiment(record)
        except BaseException as error:  # noqa: BLE001  (a student may raise SystemExit too)
            tree = self.finder.tree
            crash = describe(error, str(tree.package), partial(is_given, tree))
            self.errors[name] = error
        self.seen.put(name, {key: plain_array(value) for key, value in record.items()}, crash)
        return crash


def is_plain(value: Any, deep: int = MOST_DIMENSIONS) -> bool:
    """Returns whether a value is numbers: an array, a tensor, a number, or lists of such.

    Nothing else counts, though NumPy might make an array of it: an object can do so when it is
    looked at, out of whatever it finds around it then.
    """
    kind = type(value)
    if kind in (bool, int, float, np.ndarray) or kind in tensor_types():
        return True
    if kind in (list, tuple):
        return deep > 0 and all(is_plain(one, deep - 1) for one in value)
    return kind.__module__ == "numpy" and isinstance(value, np.generic)


def tensor_types() -> tuple[type, ...]:
    """Returns PyTorch's own tensors; none where it is not loaded."""
    torch = sys.modules.get("torch")
    return (torch.Tensor, torch.nn.Parameter) if torch else ()


def plain_array(value: Any) -> np.ndarray:
    """Returns numbers as an array that owns its memory, whatever kind of tensor they came in.

    Anything but numbers becomes an empty array of booleans, which equals no answer.
    """
    nothing = np.empty(0, np.bool_)
    if not is_plain(value):
        return nothing
    try:
        if type(value) in tensor_types():
            value = value.detach().cpu().numpy()
        array = np.array(value)
    except Exception:  # noqa: BLE001  (a student's object may raise anything)
        return nothing
    if array.dtype.kind not in "biuf":
        return nothing
    return array if array.dtype != np.float16 else array.astype(np.float32)


def number_in(value: Any, otherwise: float = float("nan")) -> float:
    """Returns a number, be it the one entry of an array; `otherwise` for anything else."""
    array = plain_array(value)
    return float(array.item()) if array.size == 1 else otherwise

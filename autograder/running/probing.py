"""Gives a probe the student's modules, and keeps a record of what they did.

This runs where the student's code runs. Nothing here, and nothing in a probe, knows an answer.
"""

from __future__ import annotations

import contextlib
import importlib
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from autograder.base.seen import MOVED, Crash, Seen
from autograder.running.blank_lines import is_given
from autograder.running.crashes import describe
from autograder.running.guard import TRIAL_SECONDS, guarded
from autograder.running.plain_data import is_plain, tensor_types
from autograder.source.importing import PackageFinder


class Student:
    """The student's code, as a probe reaches it."""

    def __init__(self, finder: PackageFinder) -> None:
        """Imports through `finder`."""
        self.finder = finder
        self.seen = Seen()
        self.notes: dict[str, Any] = {}
        """Arrays of the case that is going on: they stay whatever is raised."""
        self.crashed: BaseException | None = None
        """The error that the present case will raise in the end, see `up_to_a_crash`."""
        self.lent: list[tuple[Mapping[str, np.ndarray], Mapping[str, np.ndarray]]] = []
        """Arrays as they were, and the copies of them that the student's code has got."""
        self.errors: dict[str, BaseException] = {}
        """The error of each case that crashed, for a debugger at home."""
        self.never_ended: Crash | None = None
        """The first crash of `try_in_time` that had no end."""

    @contextlib.contextmanager
    def up_to_a_crash(self) -> Iterator[None]:
        """Lets a probe return what it saw until something raised: its case has both."""
        try:
            yield
        except BaseException as error:  # noqa: BLE001  (the case raises it in the end)
            self.crashed = error

    def lend(self, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Returns copies of arrays for the student's code, which is not to change them."""
        lent = {name: array.copy() for name, array in arrays.items()}
        self.lent.append((arrays, lent))
        return lent

    def module(self, name: str) -> ModuleType:
        """Imports a module, such as "critics.dqn_critic"."""
        return importlib.import_module(f"cs285.{name}")

    def try_moves(self, results: str, experiment: Callable[[dict[str, Any]], object]) -> None:
        """Runs an experiment that notes what some results depend on, see `input_sensitivity`."""
        self.try_in_time(f"{MOVED}{results}", experiment)

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


def kept_graphs(thing: Any) -> int:
    """Counts the tensors among an object's attributes that still carry what they were made from."""
    values = list(vars(thing).values())
    lists = [value for value in values if isinstance(value, list | tuple)]
    every = [*values, *(item for each in lists for item in each)]
    return sum(type(one) in tensor_types() and one.grad_fn is not None for one in every)

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

from autograder.base.record import Record, Trial
from autograder.running.blank_lines import is_given
from autograder.running.crashes import describe
from autograder.running.guard import TRIAL_SECONDS, guarded
from autograder.running.input_sensitivity import TRIAL
from autograder.running.plain_data import is_plain, tensor_types
from autograder.source.submission import PackageFinder


class Student:
    """The student's code, as a probe reaches it."""

    def __init__(self, finder: PackageFinder) -> None:
        """Imports through `finder`."""
        self.finder = finder
        self.trials: Record = {}
        self.notes: dict[str, Any] = {}
        """Arrays of the trial that is going on: they stay in its record whatever is raised."""
        self.crashed: BaseException | None = None
        """The error that the present trial will raise in the end, see `up_to_a_crash`."""
        self.lent: list[tuple[Mapping[str, np.ndarray], Mapping[str, np.ndarray]]] = []
        """Arrays as they were, and the copies of them that the student's code has got."""
        self.errors: dict[str, BaseException] = {}
        """The error of each trial that crashed, for a debugger at home."""
        self.never_ended: Trial | None = None
        """The first trial of `try_in_time` that had no end."""

    @contextlib.contextmanager
    def up_to_a_crash(self) -> Iterator[None]:
        """Lets a probe return what it saw until something raised: its trial has both."""
        try:
            yield
        except BaseException as error:  # noqa: BLE001  (the trial raises it in the end)
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
        self.try_in_time(f"{TRIAL}{results}", experiment)

    def try_in_time(self, name: str, experiment: Callable[[dict[str, Any]], object]) -> Trial:
        """Runs an experiment, and ends it if it never ends by itself: that is part of its record.

        Waiting for it once is enough: all later trials have the record of the first such one.
        """
        if self.never_ended is None:
            with guarded(TRIAL_SECONDS):
                trial = self.try_out(name, experiment)
            if trial.crash is None or not trial.crash.never_ends:
                return trial
            self.never_ended = Trial({}, trial.crash)
            return trial
        self.trials[name] = self.never_ended
        return self.never_ended

    def try_out(self, name: str, experiment: Callable[[dict[str, Any]], object]) -> Trial:
        """Runs an experiment, which puts what it sees into the dict it is given.

        Whatever the student's code raises becomes part of the record. A warning is no fault.
        """
        record: dict[str, Any] = {}
        trial = Trial()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                experiment(record)
        except BaseException as error:  # noqa: BLE001  (a student may raise SystemExit too)
            tree = self.finder.tree
            trial.crash = describe(error, str(tree.package), partial(is_given, tree))
            self.errors[name] = error
        trial.arrays = {key: plain_array(value) for key, value in record.items()}
        self.trials[name] = trial
        return trial


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

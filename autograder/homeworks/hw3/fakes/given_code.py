"""How given code is looked at: by flags, each of which is a misconception that shows by itself."""

from __future__ import annotations

import contextlib
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from autograder.base.record import Crash
from autograder.running.crashes import describe
from autograder.running.probing import Student

LOOKED = "looked"
EMPTY_OPTIMIZER = "empty parameter list"
MISSING_NAME = re.compile("(partially initialized )?module '|cannot import name")
MISSING = {"ImportError", "ModuleNotFoundError", "UserError", "DependencyNotInstalled"}
Found = set[str]
"""The flags that are up by now."""
Look = Callable[[Found, Student, int], None]
"""Looks at a student's code, with numbers drawn from a seed, and raises flags."""


def probe_of(looks: Mapping[str, Look]) -> tuple[Callable[[int], Any], Callable[..., Any]]:
    """Returns `cases` and `observe` of a probe that has a trial for each look."""

    def cases(seed: int) -> Mapping[str, tuple[str, int]]:
        return {name: (name, seed) for name in looks}

    def observe(student: Student, case: tuple[str, int]) -> dict[str, Any]:
        with looking(student) as found:
            looks[case[0]](found, student, case[1])
        return {}

    return cases, observe


def takes(function: Any, *args: Any) -> bool:
    """Returns whether something can be called with exactly these arguments: our interface."""
    try:
        inspect.signature(function).bind(*args)
    except (TypeError, ValueError):
        return False
    return True


@contextlib.contextmanager
def looking(student: Student) -> Iterator[Found]:
    """Yields the flags that are up after the trials before; notes all that are up in the end.

    Where the code that is looked at is missing, nothing is found, and nothing is wrong. An
    optimizer finds no parameters where an iterator was used up, or nobody knows of the layers.
    """
    arrays = [item for trial in student.trials.values() for item in trial.arrays.items()]
    found = {name for name, array in arrays if name != LOOKED and array.any()}
    try:
        yield found
    except BaseException as error:
        crash = describe(error, str(student.finder.tree.package))
        if not is_missing(crash):
            raise
        if EMPTY_OPTIMIZER in crash.text and "layers_unregistered" not in found:
            found.add("parameters_used_up")
    finally:
        student.notes |= dict.fromkeys(found, True)
    student.notes[LOOKED] = True


def is_missing(crash: Crash) -> bool:
    """Returns whether a crash says that a blank, a package, a file or a function is missing."""
    if crash.blank or crash.kind in MISSING or EMPTY_OPTIMIZER in crash.text:
        return True
    return MISSING_NAME.match(crash.text) is not None


def note(found: Found, **wrong: Any) -> None:
    """Raises the flags that are true, be it in one place."""
    found.update(flag for flag, up in wrong.items() if np.any(up))

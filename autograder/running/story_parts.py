"""The parts of an agent, whose calls are noted while it trains: functions and methods.

A call is a few rows: what was given, and returned, where gradients lead, what its arguments and its
object are afterwards, and what it left behind. Between them lie those of the parts that it calls.
Classes are patched, not objects, so that an agent that copies itself stays what it is.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import torch

from autograder.running.declared_cases import value
from autograder.running.probing import plain_array
from autograder.running.story_notes import KEPT_BYTES, Notes, gradients

GIVEN, RETURNED, GRADIENT, LEFT = "given", "returned", "gradient", "left"
BEHIND, TRAINED, KEEPS = "left behind", "trained", "keeps"
"""What is noted of a call: the name of a stream is that of the part, and one of these."""


@dataclass(frozen=True)
class Part:
    """A function or method whose calls are noted.

    Attributes:
        at: "module:name", or "module:class.name"; the module is one of `cs285`.
        blank: The one whose lines it runs; "": given code.
        trains: Networks that it trains.
        returns: An expression: what is noted of `result`, where that is not plain numbers.
    """

    at: str
    blank: str = ""
    trains: Sequence[str] = ()
    returns: str = ""

    @property
    def name(self) -> str:
        """What students read."""
        return self.at.partition(":")[2]


def parts_of(table: Mapping[str, Any]) -> list[Part]:
    """Returns the parts of a story: where each is -> its blank, or more about it."""
    plain = {at: {"blank": one} if isinstance(one, str) else one for at, one in table.items()}
    return [Part(at, **one) for at, one in plain.items()]


@contextlib.contextmanager
def noted(parts: Sequence[Part], notes: Notes, words: Mapping[str, Any]) -> Iterator[None]:
    """Notes what these parts do, for a while."""
    with contextlib.ExitStack() as stack:
        for part in parts:
            with quietly():  # another check reports what is wrong with a file
                owner, name = owner_of(part.at)
                new = noting(getattr(owner, name), part, isinstance(owner, type), notes, words)
                stack.enter_context(patch.object(owner, name, new))
        yield


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Lets a run go on where what a student's code hands over cannot be noted."""
    with contextlib.suppress(Exception):
        yield


def owner_of(place: str) -> tuple[Any, str]:
    """Returns the module or class that has a part, and the part's name."""
    module, _, path = place.partition(":")
    *above, name = path.split(".")
    owner: Any = importlib.import_module(f"cs285.{module}")
    for each in above:
        owner = getattr(owner, each)
    if isinstance(owner, type):  # the class of the family that defines it
        owner = next(each for each in owner.__mro__ if name in vars(each))
    return owner, name


def noting(
    original: Callable[..., Any],
    part: Part,
    of_class: bool,
    notes: Notes,
    words: Mapping[str, Any],
) -> Callable[..., Any]:
    """Returns what does the same as a part, and notes it."""
    signature, name = inspect.signature(original), part.name
    streams = {kind: f"{name} {kind}" for kind in (GIVEN, RETURNED, GRADIENT, LEFT, BEHIND)}
    trained, keeps = f"{name} {TRAINED}", f"{name} {KEEPS}"

    def note_given(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[Any]:
        every = [*signature.bind(*args, **kwargs).arguments.values()] if kwargs else [*args]
        values = every[of_class:]
        if of_class:
            notes.note_held(streams[GIVEN], args[0])
        network = of_class and isinstance(args[0], torch.nn.Module)
        notes.describe(streams[GIVEN], every if network else values)
        notes.note_networks(streams[GIVEN], part.trains)
        return values

    def note_result(returned: Any, values: Sequence[Any]) -> None:
        results = [*returned] if isinstance(returned, tuple) else [returned]
        if part.returns:
            with torch.no_grad():
                results = [plain_array(value(part.returns, {**words, "result": returned}))]
        notes.describe(streams[RETURNED], results)
        if any(getattr(result, "requires_grad", False) for result in results):
            notes.note(streams[GRADIENT], gradients(results, values))
        notes.describe(streams[LEFT], values, kinds=False)
        notes.note_networks(trained, part.trains)

    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        values = list[Any]()
        with quietly():
            values = note_given(args, kwargs)
        notes.open.append(name)
        before, weight = notes.footprint(), notes.weigh(name)
        try:
            returned = original(*args, **kwargs)
        except BaseException:
            notes.raised_in = notes.raised_in or name
            raise
        finally:
            notes.open.pop()
        with quietly():
            note_result(returned, values)
            changes = zip(before, notes.footprint(), strict=True)
            notes.note_change(streams[BEHIND], [float(one != two) for one, two in changes])
            if of_class:
                notes.note_held(streams[LEFT], args[0])
            if weight:
                notes.note(keeps, [notes.weigh(name) - weight > KEPT_BYTES / 2])
        return returned

    return call

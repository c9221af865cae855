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
from autograder.running.story_notes import KEPT_BYTES, LOOKS, WEIGHED, Notes
from autograder.running.story_numbers import gradients
from autograder.running.story_traces import (
    BEHIND,
    GIVEN,
    GRADIENT,
    KEEPS,
    LEFT,
    RETURNED,
    TRAINED,
)


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
                watched = Watched(part, getattr(owner, name), isinstance(owner, type), notes, words)
                stack.enter_context(patch.object(owner, name, watched.as_function))
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


@dataclass
class Watched:
    """A part whose calls are noted.

    Attributes:
        part: Which.
        original: The function or method.
        of_class: Whether its first argument is its object.
        notes: Where.
        words: What `Part.returns` sees besides.
    """

    part: Part
    original: Callable[..., Any]
    of_class: bool
    notes: Notes
    words: Mapping[str, Any]

    def __post_init__(self) -> None:
        """Looks up what every call needs."""
        self.signature, self.calls = inspect.signature(self.original), 0
        self.as_function = functools.wraps(self.original)(lambda *a, **k: self.call(*a, **k))

    def stream(self, what: str) -> str:
        """Returns the name of one of its streams."""
        return f"{self.part.name} {what}"

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Does the same as the part, and notes it."""
        notes, values, before = self.notes, list[Any](), tuple[Any, ...]()
        self.calls += 1
        noted = self.calls <= notes.most
        if noted:
            with quietly():
                values = self.note_given(args, kwargs)
        notes.open.append(self.part.name)
        if looked_at := self.calls <= min(LOOKS, notes.most):
            before = notes.footprint()
        weight = notes.weigh() if self.calls <= WEIGHED else 0
        try:
            returned = self.original(*args, **kwargs)
        except BaseException:
            notes.raised_in = notes.raised_in or self.part.name
            raise
        finally:
            notes.open.pop()
        if noted:
            with quietly():
                self.note_result(returned, values)
                self.note_held(LEFT, args)
        if looked_at:
            changes = zip(before, notes.footprint(), strict=True)
            notes.note_change(self.stream(BEHIND), [float(one != two) for one, two in changes])
        if self.calls <= WEIGHED:
            notes.note(self.stream(KEEPS), [notes.weigh() - weight > KEPT_BYTES / 2])
        return returned

    def note_held(self, what: str, args: Sequence[Any]) -> None:
        """Notes the numbers that its object holds."""
        if self.of_class:
            self.notes.note_held(self.stream(what), args[0])

    def note_given(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        """Notes what a call is given, and returns that."""
        bound = self.signature.bind(*args, **kwargs).arguments.values() if kwargs else args
        self.note_held(GIVEN, args)
        values = [*bound][self.of_class and not isinstance(args[0], torch.nn.Module) :]
        self.notes.note_kinds(self.stream(GIVEN), values)
        self.notes.describe(self.stream(GIVEN), values)
        self.notes.note_networks(self.stream(GIVEN), self.part.trains)
        return values

    def note_result(self, returned: Any, values: Sequence[Any]) -> None:
        """Notes what a call returned, and what its arguments are then."""
        results = [*returned] if isinstance(returned, tuple) else [returned]
        self.notes.note_kinds(self.stream(RETURNED), results)
        self.notes.describe(self.stream(LEFT), values)
        self.notes.note_networks(self.stream(TRAINED), self.part.trains)
        if any(getattr(result, "requires_grad", False) for result in results):
            self.notes.note(self.stream(GRADIENT), gradients(results, values))
        if self.part.returns:
            with torch.no_grad():
                names = {**self.words, "result": returned}
                results = [plain_array(value(self.part.returns, names))]
        self.notes.describe(self.stream(RETURNED), results)

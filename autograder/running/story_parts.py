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
from typing import Any, NamedTuple
from unittest.mock import patch

import torch

from autograder.running.declared_cases import value
from autograder.running.probing import is_plain, plain_array
from autograder.running.story_notes import KEPT_BYTES, LOOKS, Described, Notes
from autograder.running.story_numbers import as_array, gradients
from autograder.running.story_traces import (
    BEFORE,
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
    try:
        yield
    except Exception:  # noqa: BLE001  (whatever a student's objects raise costs a note alone)
        pass


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


class Given(NamedTuple):
    """What a call was given: its object, its values, and what these were."""

    owner: Any
    values: Sequence[Any]
    held: Mapping[str, float]
    described: Described
    earlier: Described  # what the call before had returned


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
        self.results: Sequence[Any] = ()  # of the latest call
        self.as_function = functools.wraps(self.original)(lambda *a, **k: self.call(*a, **k))

    def stream(self, what: str) -> str:
        """Returns the name of one of its streams."""
        return f"{self.part.name} {what}"

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Does the same as the part, and notes it."""
        notes, before, weight = self.notes, tuple[Any, ...](), 0
        self.calls += 1
        given = self.note_given(args, kwargs) if self.calls <= notes.most else None
        notes.open.append(self.part.name)
        if looked_at := self.calls <= min(LOOKS, notes.most):
            before = notes.footprint()
        weighed = self.calls & (self.calls - 1) == 0  # 1, 2, 4, 8: a mistake may begin late
        if weighed:
            weight = notes.weigh()
        try:
            returned = self.original(*args, **kwargs)
        except BaseException:
            notes.raised_in = notes.raised_in or self.part.name
            raise
        finally:
            notes.open.pop()
        if given:
            self.note_result(returned, given)
        if looked_at:
            changes = zip(before, notes.footprint(), strict=True)
            notes.note_change(self.stream(BEHIND), [float(one != two) for one, two in changes])
        if weighed:
            notes.note(self.stream(KEEPS), [notes.weigh() - weight > KEPT_BYTES / 2])
        return returned

    def note_given(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Given | None:
        """Notes what a call is given, and returns that."""
        notes, stream = self.notes, self.stream(GIVEN)
        with quietly():
            bound = self.signature.bind(*args, **kwargs).arguments.values() if kwargs else args
            owner = args[0] if self.of_class else None
            values = [*bound][self.of_class and not isinstance(owner, torch.nn.Module) :]
            held = notes.note_held(stream, owner)
            notes.note_kinds(stream, values)
            described = notes.note_values(stream, values)
            notes.note_networks(stream, self.part.trains)
            return Given(owner, values, held, described, notes.described(self.results))
        return None

    def note_result(self, returned: Any, given: Given) -> None:
        """Notes what a call returned, and how its arguments and its object have changed."""
        notes, results = self.notes, [*returned] if isinstance(returned, tuple) else [returned]
        with quietly():
            notes.note_kinds(self.stream(RETURNED), results)
            notes.note_values(self.stream(LEFT), given.values, given.described)
            notes.note_networks(self.stream(TRAINED), self.part.trains)
            notes.note_held(self.stream(LEFT), given.owner, given.held)
            changed = notes.described(self.results)[0] != given.earlier[0]
            notes.note_change(self.stream(BEFORE), [float(changed)])
            self.results = [as_array(result) for result in results if is_plain(result)]
            if self.part.returns:
                shown = value(self.part.returns, {**self.words, "result": returned})
                results = [shown if torch.is_tensor(shown) else plain_array(shown)]
            if any(getattr(result, "requires_grad", False) for result in results):
                notes.note(self.stream(GRADIENT), gradients(results, given.values))
            notes.note_values(self.stream(RETURNED), results)

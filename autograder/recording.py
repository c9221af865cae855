"""Answers that a student's copy holds as numbers alone.

A function that computes what is right, or what a mistake leads to, is marked `@secret`. Where it
is written it simply computes. In what is given to students its body is gone, and what it returns
for the public seeds lies in a file beside it: `recorded.safetensors`, numbers and JSON.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
from safetensors import safe_open

PUBLIC_SEEDS = (0, 1, 2)
STORE = "recorded.safetensors"
KINDS = {"b": np.bool_, "i": np.int64, "f": np.float32}  # of numbers in a store
REL, ABS = 1e-5, 1e-6  # two machines may draw cases that differ in a number's last bit
MOST_KNOWN = 200  # cases of which is remembered which they are

Asked = Callable[[int], Iterable[tuple[Any, ...]]]
F = TypeVar("F", bound=Callable[..., Any])


class NotRecordedError(Exception):
    """What was asked is not among what was recorded: no known mistake leads there."""


class OtherNumbersError(NotRecordedError):
    """The numbers drawn here are not those that were recorded."""

    def __init__(self) -> None:
        """Says how to mend it."""
        super().__init__(
            "the numbers drawn here are not those that the answers were recorded for; "
            "install the versions that are in constraints.txt"
        )


SECRETS: dict[str, tuple[Callable[..., Any], Asked | None]] = {}
"""All that are imported, by module and name, with what will be asked of them."""


def secret(asked: Asked | None = None) -> Callable[[F], F]:
    """Marks a function whose body students must not see.

    Args:
        asked: Called with a seed, yields the arguments with which the function will be called. A
            `Choice` among them has those keys alone that the function reads.
    """

    def mark(function: F) -> F:
        name = f"{function.__module__}.{function.__qualname__}"
        SECRETS[name] = (function, asked)
        folder = Path(str(sys.modules[function.__module__].__file__)).parent
        signature = inspect.signature(function)

        @functools.wraps(function)
        def answer(*args: Any, **kwargs: Any) -> Any:
            store = store_of(folder)
            if store is None:
                return function(*args, **kwargs)
            if kwargs or len(args) < len(signature.parameters):
                bound = signature.bind(*args, **kwargs)
                bound.apply_defaults()
                args = bound.args
            return store.look_up(name, args)

        return cast(F, answer)

    return mark


@functools.cache
def store_of(folder: Path) -> Store | None:
    """Returns what was recorded for the modules of a folder; None where they compute it."""
    file = folder / STORE
    return Store.read(file) if file.is_file() else None


class Store:
    """Recorded answers.

    Attributes:
        numbers: Kind -> all numbers of that kind, in a row.
        arrays: Kind, place and shape of each array.
        cases: The arguments that are no plain values: class -> its fields, each time.
        answers: Function -> names of the keys of a choice, and (arguments, what was returned).
    """

    def __init__(self, numbers: Mapping[str, np.ndarray], plain: Mapping[str, Any]) -> None:
        """Takes what a file holds."""
        self.numbers, self.arrays = numbers, plain["arrays"]
        self.cases: dict[str, list[list[np.ndarray]]] = {
            kind: [[self._array(number) for number in fields] for fields in all_fields]
            for kind, all_fields in plain["cases"].items()
        }
        self.keys: Mapping[str, list[str]] = plain["keys"]
        self.answers = {
            name: {_hashable(args): result for args, result in answers}
            for name, answers in plain["answers"].items()
        }
        self.values: dict[tuple[str, Any], Any] = {}
        self.known: dict[int, tuple[Any, tuple[str, int]]] = {}

    @classmethod
    def read(cls, file: Path) -> Store:
        """Reads a store; nothing in it is executable."""
        with safe_open(file, "np") as stream:
            numbers = {kind: stream.get_tensor(kind) for kind in stream.keys()}  # noqa: SIM118
            return cls(numbers, json.loads(stream.metadata()["json"]))

    def look_up(self, name: str, args: tuple[Any, ...]) -> Any:
        """Returns what a function returned; its arrays cannot be written to.

        Raises:
            NotRecordedError: If it was not asked that.
        """
        keys = self.keys.get(name, ())
        key = name, tuple(self._plain(value, keys) for value in args)
        if key not in self.values:
            kept = self.answers.get(name, {}).get(key[1], ...)
            if kept is ...:
                raise NotRecordedError(f"{name} was not recorded for this")
            self.values[key] = self._value(kept)
        return self.values[key]

    def _plain(self, value: Any, keys: Iterable[str]) -> Any:
        """Returns an argument as it is kept."""
        if isinstance(value, Mapping):
            return tuple(value.get(key) for key in keys)
        if isinstance(value, np.ndarray) or dataclasses.is_dataclass(value):
            return self._case(value)
        return value

    def _case(self, value: Any) -> tuple[str, int]:
        """Returns which of the recorded cases a value is.

        Raises:
            OtherNumbersError: If it is none of them.
        """
        if id(value) in self.known:
            return self.known[id(value)][1]
        kind, fields = fields_of(value)
        for number, recorded in enumerate(self.cases.get(kind, ())):
            if all(_alike(a, b) for a, b in zip(fields, recorded, strict=True)):
                if len(self.known) >= MOST_KNOWN:
                    self.known.clear()
                self.known[id(value)] = (value, (kind, number))  # kept, so its id stays its own
                return kind, number
        raise OtherNumbersError

    def _array(self, number: int) -> np.ndarray:
        kind, first, shape = self.arrays[number]
        array: np.ndarray = self.numbers[kind][first : first + int(np.prod(shape))].reshape(shape)
        return array

    def _value(self, kept: Any) -> Any:
        """Returns what was recorded, as the function returned it."""
        if not isinstance(kept, dict):
            return kept
        if "array" in kept:
            array = self._array(kept["array"])
            array = array.astype(np.float64) if array.dtype.kind == "f" else array.copy()
            array.flags.writeable = False
            return array
        if "dict" in kept:
            return {self._value(key): self._value(value) for key, value in kept["dict"]}
        (kind, parts), *_ = kept.items()
        values = [self._value(part) for part in parts]
        return values if kind == "list" else tuple(values)


def fields_of(value: Any) -> tuple[str, list[np.ndarray]]:
    """Returns the class of an array or a dataclass, and its fields as arrays."""
    if isinstance(value, np.ndarray):
        return "ndarray", [value]
    fields = dataclasses.fields(value)
    return type(value).__name__, [np.asarray(getattr(value, field.name)) for field in fields]


def _alike(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape == b.shape and bool(np.allclose(a, b, REL, ABS, equal_nan=True))


def _hashable(value: Any) -> Any:
    return tuple(_hashable(part) for part in value) if isinstance(value, list) else value

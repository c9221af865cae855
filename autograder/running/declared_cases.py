"""What expressions of a blank's file make: the usual case, the others, and doubles."""

from __future__ import annotations

import dataclasses
import functools
import re
import zlib
from collections.abc import Mapping
from types import CodeType, SimpleNamespace
from typing import Any

import numpy as np

from autograder.running.probing import number_in

ROWS = "rows"
DRAWN = re.compile(r"\b(rng|signed|uniform|normal)\b")
USUAL = "usual"
DRAWS = ("another draw", "a third draw")
"""The usual case with other numbers: what is said of code must be true of them, too."""
MOST_CALLS = 1000
UNKNOWN = -1.0  # stands for an argument that is no number


@functools.cache
def _compiled(text: str) -> CodeType:
    return compile(text.strip(), f"<{text}>", "eval")


def value(text: Any, names: dict[str, Any]) -> Any:
    """Returns what an expression gives; what is no text stands for itself."""
    return eval(_compiled(text), names) if isinstance(text, str) else text


def values(table: Mapping[str, Any], names: dict[str, Any]) -> dict[str, Any]:
    """Returns what the expressions of a table give, by their names."""
    return {name: value(text, names) for name, text in table.items()}


def drawing(rng: np.random.Generator) -> dict[str, Any]:
    """Returns the words by which files draw numbers; arrays are float32."""

    def signed(*shape: int, low: float = 0.3, high: float = 1.7) -> np.ndarray:
        """Draws numbers of both signs, none of them near 0."""
        drawn = rng.uniform(low, high, shape) * rng.choice([-1, 1], shape)
        return np.asarray(drawn, np.float32)

    return {
        "np": np,
        "rng": rng,
        "signed": signed,
        "uniform": lambda low, high: float(rng.uniform(low, high)),
        "normal": lambda *shape: np.float32(rng.normal(0.0, 1.5, shape)),
        "ends": lambda size, *rows: np.float32(np.isin(np.arange(size), rows)),
    }


def cases_of(tables: Mapping[str, Any], seed: int, doubles: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the usual case and the others, by name: each has a field for each name of [given]."""
    blank, given = str(tables["blank"]["id"]), tables.get("given", {})
    key = [285, zlib.crc32(blank.encode()), seed]
    rng = np.random.default_rng(key)
    words = {**doubles, **drawing(rng)}
    usual = _drawn("[given]", given, words)
    made = dataclasses.make_dataclass("Case", list(usual), frozen=True)
    found = {USUAL: made(**usual)}
    for name, changes in tables.get("cases", {}).items():
        new = _drawn(f"[cases] {name!r}", changes, words | usual, alone=True)
        rows = new.pop(ROWS, None)
        found[name] = made(**with_rows({**usual, **new}, rows))
    if any(DRAWN.search(text) for text in given.values() if isinstance(text, str)):
        for number, name in enumerate(DRAWS):
            other = drawing(np.random.default_rng([*key, number]))
            found[name] = made(**_drawn("[given]", given, {**doubles, **other}))
    return found


def _drawn(
    place: str, table: Mapping[str, Any], words: Mapping[str, Any], alone: bool = False
) -> dict[str, Any]:
    """Returns what the expressions of a table give; unless `alone`, each sees those above it.

    Raises:
        ValueError: If one raises anything: with its place.
    """
    found = dict[str, Any]()
    for name, text in table.items():
        try:
            found[name] = value(text, {**words, **({} if alone else found)})
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            raise ValueError(f"{place} {name} = {text!r}: {what}") from error
    return found


def with_rows(values: Mapping[str, Any], rows: int | list[int] | None) -> dict[str, Any]:
    """Returns arrays with the first rows, or with some, along the axis that is n in their names.

    The letters after the last "_" name axes, and more may follow: "q_net" of two axes has none.
    """
    found = dict(values)
    if rows is None:
        return found
    kept = np.arange(rows) if isinstance(rows, int) else np.asarray(rows)
    for name, array in values.items():
        axes = name.rpartition("_")[2]
        if isinstance(array, np.ndarray) and "n" in axes and len(axes) <= array.ndim:
            found[name] = array.take(kept, axes.index("n"))
    return found


class Double:
    """An object of [world]: stands for an environment, a memory or a critic, and notes each call.

        env = {"step(action)" = "(frame(n), 1.0, False, False, {})", unwrapped = "this"}

    A key with parentheses is a method; its expression sees its arguments, and n, the number of
    calls before. Any other key is an attribute. `env.calls.step` has the arguments of each call, as
    numbers. All other methods do nothing.
    """

    def __init__(self, answers: Mapping[str, Any], names: Mapping[str, Any]) -> None:
        """Takes the table above, and the names that its expressions see."""
        self.calls = SimpleNamespace()
        for key, text in answers.items():
            name, is_method, rest = key.partition("(")
            if is_method:
                setattr(self, name, self._method(name, rest.rstrip(")"), text, names))
        for key in (key for key in answers if "(" not in key):
            setattr(self, key, value(answers[key], {**names, "this": self}))

    def _method(self, name: str, takes: str, text: str, names: Mapping[str, Any]) -> Any:
        """Returns what notes a call, whose arguments are bound by their names, and answers it."""
        calls = list[Any]()
        setattr(self.calls, name, calls)
        bind = eval(f"lambda {takes}: locals()")
        bind.__qualname__ = name  # Python's own words where it is not called as the real one

        def answer(*args: Any, **kwargs: Any) -> Any:
            if len(calls) > MOST_CALLS:
                raise RecursionError(f"{name} is called again and again")
            bound = bind(*args, **kwargs)
            calls.append([number_in(one, UNKNOWN) for one in bound.values()])
            return value(text, {**names, "n": len(calls) - 1, **bound})

        return answer

    def __getattr__(self, name: str) -> Any:
        """Offers a method that does nothing under any public name.

        Raises:
            AttributeError: For names of Python's own protocols.
        """
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **kwargs: None

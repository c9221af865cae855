"""Formulas that a page computes, computed here: one that shows no difference is refused.

A formula is one expression, for each row of a table. Its names are the row's inputs; `largest('x')`
and the like are about a whole column. `backwards(error, factor)` sums up from the last row on:
result = error + factor * the next row's result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

CLOSE = 1e-9
Row = Mapping[str, np.float64]


def results(formula: str, names: Sequence[str], rows: Sequence[Sequence[float]]) -> list[float]:
    """Returns a formula's result in each row.

    Raises:
        NameError, SyntaxError: If it is none.
    """
    table = [dict(zip(names, map(np.float64, row), strict=True)) for row in rows]
    with np.errstate(all="ignore"):
        return [float(_value(formula, table, number)) for number in range(len(table))]


def _value(formula: str, table: Sequence[Row], number: int) -> Any:
    """Computes one row. The text is the project's own, and sees nothing but these names."""
    functions = {**_of_numbers(), **_of_columns(table), "backwards": _backwards(table, number)}
    return eval(formula, {"__builtins__": {}}, {**functions, **table[number]})


def _of_numbers() -> dict[str, Callable[..., Any]]:
    return {
        "max": max,
        "min": min,
        "abs": abs,
        "exp": np.exp,
        "log": np.log,
        "sqrt": np.sqrt,
        "clip": lambda x, low, high: min(max(x, low), high),
        "where": lambda condition, yes, no: yes if condition else no,
    }


def _of_columns(table: Sequence[Row]) -> dict[str, Callable[[str], Any]]:
    def column(name: str) -> np.ndarray:
        return np.array([row[name] for row in table])

    return {
        "largest": lambda name: column(name).max(),
        "smallest": lambda name: column(name).min(),
        "total": lambda name: column(name).sum(),
        "average": lambda name: column(name).mean(),
        "deviation": lambda name: column(name).std(),
    }


def _backwards(table: Sequence[Row], number: int) -> Callable[[str, str], Any]:
    def summed(error: str, factor: str) -> Any:
        later = np.float64(0.0)
        for t in reversed(range(number, len(table))):
            later = _value(error, table, t) + _value(factor, table, t) * later
        return later

    return summed


def problems(numbers: Mapping[str, Any]) -> list[str]:
    """Returns what is wrong with the formulas of a blank, a line each."""
    names, rows = list(numbers["inputs"]), numbers["rows"]
    right = results(numbers["right"], names, rows)
    found = [] if np.isfinite(right).all() else ["the right formula has no finite result"]
    for key, formula in numbers["formulas"].items():
        wrong = results(formula, names, rows)
        if np.allclose(wrong, right, CLOSE, CLOSE):
            found.append(f"{key}: its formula shows no difference in these rows")
    return found

"""Arguments of the library's functions: in one form, or refused in one line."""

from __future__ import annotations

import json
import math
import reprlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.base.flag_values import KINDS, wanted
from cs285.infrastructure.base.settings import MOST_SEED


def plain(value: Any) -> Any:
    """Returns a number of NumPy as Python's, and a whole float such as 1e5 as a whole number."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value


def whole(name: str, value: Any, low: float, high: float = math.inf) -> int:
    """Returns an argument that is a whole number; raises UserError if it is none from low to high.

    Args:
        name: The argument, for the error.
        value: Of any type.
        low: The smallest value allowed.
        high: The largest value allowed.
    """
    number = plain(value)
    rules = {"choices": (), "positive": False, "low": low, "high": high}
    if (takes := wanted(rules, int, number)) is not None:
        raise UserError(f"{name} takes {takes}, not {short(value)}")
    return int(number)


def seed_of(value: Any) -> int:
    """Returns a seed; raises UserError if it is none."""
    return whole("seed", value, 0, MOST_SEED)


def numbers(name: str, value: Any) -> np.ndarray:
    """Returns an argument as an array; raises UserError if it does not consist of real numbers.

    Args:
        name: The argument, for the error.
        value: Of any type: lists and tensors too.
    """
    try:
        array = np.asarray(value.detach().cpu() if hasattr(value, "detach") else value)
    except (TypeError, ValueError):
        array = np.asarray(None)
    if array.dtype.kind not in "biuf":
        raise UserError(f"{name} takes an array of numbers, not {short(value)}")
    return array


def json_object(name: str, value: Any) -> dict[str, Any]:
    """Returns a dict as JSON has it; raises UserError if it is none, or JSON cannot store it.

    Arrays and numbers of NumPy become lists and numbers of Python.
    """
    if not isinstance(value, Mapping):
        raise UserError(f"{name} takes {KINDS[dict]}, not {short(value)}")
    try:
        found = json.loads(json.dumps(dict(value), default=_of_numpy, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise UserError(f"{name} {short(value)} cannot be stored as JSON: {error}") from None
    if found.keys() != value.keys():  # JSON makes a text of each key
        raise UserError(f"{name} takes {KINDS[dict]}, whose keys are texts, not {short(value)}")
    return dict(found)


def _of_numpy(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError(f"it contains an object of {type(value).__name__}")


def short(value: Any) -> str:
    """Returns a value in one line, shortened in the middle."""
    return " ".join(reprlib.repr(value).split())

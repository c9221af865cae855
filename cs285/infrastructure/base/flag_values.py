"""What the value of a flag may be, in words, and JSON objects as values."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from typing import Any

KINDS: Mapping[Any, str] = {
    **{int: "a whole number", float: "a finite number", str: "a text", bool: "true or false"},
    dict: """a JSON object such as '{"length": 9}'""",
}


def wanted(rules: Mapping[str, Any], kind: Any, value: Any) -> str | None:
    """Returns what a flag takes, as part of a sentence, if it does not allow a value; else None.

    Args:
        rules: What `config.flag` keeps of the flag.
        kind: The type of its values, a key of `KINDS`.
        value: Of any type.
    """
    if type(value) is not kind or (kind is float and not math.isfinite(value)):
        return KINDS[kind]
    if rules["choices"] and value not in rules["choices"]:
        return "one of " + ", ".join(rules["choices"])
    if rules["positive"] and value <= 0:
        return "a number above 0"
    if kind in (int, float) and not rules["low"] <= value <= rules["high"]:
        limits = f"a number from {_plain(rules['low'])} to {_plain(rules['high'])}"
        return limits.replace(" to inf", " upward")
    return None


def _plain(bound: float) -> str:
    """Writes a bound; a whole number in all its digits."""
    return str(bound) if type(bound) is int else f"{bound:g}"


def json_value(text: str) -> Any:
    """Returns what a JSON text says, with keys in order: equal objects are written equally.

    Raises:
        ValueError: If it is no JSON, or contains a number that is not finite, or is too deep.
    """
    try:
        return json.loads(json.dumps(json.loads(text), sort_keys=True, allow_nan=False))
    except RecursionError:
        raise ValueError("nested too deeply") from None


def text(value: Any) -> str:
    """Returns a value as it is typed: layers may be a list of their units, arguments a dict.

    A path, and what has one (a `cs285.Run`), is typed as that path.
    """
    if isinstance(value, Mapping):
        return json.dumps(value)
    if isinstance(value, os.PathLike):
        return str(os.fspath(value))
    return ",".join(map(text, value)) if isinstance(value, list | tuple) else str(value)


def as_flag(name: str, value: Any) -> list[str]:
    """Returns the words that give a flag this value: none for False and None."""
    if value is None or value is False:
        return []
    return [f"--{name}"] if value is True else [f"--{name}={text(value)}"]

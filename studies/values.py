"""Values of flags: read as Python's literals, never evaluated."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from typing import Any

from cs285.infrastructure.base.flag_values import json_value

Value = bool | int | float | str | tuple[Any, ...] | None
"""None leaves a flag out. A tuple holds numbers: the units of layers. A JSON object is its text."""
_CODE = re.compile(r"(?:torch|tf|nn)(?:\.nn)?\.(\w+)")  # torch.nn.Tanh and the like
_NOT_LITERAL = (ValueError, TypeError, SyntaxError, MemoryError, RecursionError)


def parse(text: str) -> Value:
    """Returns what a word stands for: 0.1, True, [64,32], torch.nn.Tanh (tanh), or itself."""
    if code := _CODE.fullmatch(text):
        return code[1].lower()
    if (entries := _object(text)) is not None:
        return json.dumps(entries)
    try:
        value = ast.literal_eval(text)
    except _NOT_LITERAL:
        return text
    return normal(value) if isinstance(value, bool | int | float | list | tuple | None) else text


def normal(value: Any) -> Value:
    """Returns a value of Python's or of a study file as `parse` would, so that equal ones are."""
    if isinstance(value, str):
        return parse(value)
    if isinstance(value, list | tuple):
        return tuple(normal(item) for item in value)
    if isinstance(value, type) or callable(value):  # torch.nn.Tanh itself
        return str(value.__name__).lower()
    if isinstance(value, dict):
        return parse(json.dumps(value))
    value = value.item() if hasattr(value, "item") else value  # a number of NumPy's
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    return value if value is None or isinstance(value, bool | int | float) else str(value)


def in_name(value: Value) -> str:
    """Returns a value as a part of a folder's name: 64-32 for (64, 32)."""
    words = "-".join(in_name(v) for v in value) if isinstance(value, tuple) else str(value)
    if (entries := _object(words)) is not None:
        words = "-".join(f"{name}{in_name(normal(v))}" for name, v in entries.items())
    return re.sub(r"[^\w.-]", "-", words, flags=re.ASCII)


def shorthand(name: str) -> str:
    """Returns how Spinning Up calls a flag in names: the first three letters of each part."""
    name = {"hid": "ac_kwargs:hidden_sizes", "act": "ac_kwargs:activation"}.get(name, name)
    return "-".join(re.sub("[^a-zA-Z0-9]", "", part[:3]) for part in name.split(":"))


def entries(word: str) -> dict[str, str] | None:
    """Returns the parts of `dict(hidden_sizes=[64,32], activation=torch.nn.Tanh)` as texts.

    None if the word is no such call. Nothing in it is called or looked up.
    """
    try:
        tree = ast.parse(word, mode="eval").body
    except _NOT_LITERAL:
        return None
    if isinstance(tree, ast.Call) and ast.unparse(tree.func) == "dict":
        return {str(part.arg): ast.unparse(part.value) for part in tree.keywords}
    return None


def _object(text: str) -> dict[str, Any] | None:
    """Returns the JSON object that a text is, with its keys in order; None if it is none."""
    try:
        value = json_value(text) if text.startswith("{") else None
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def unique(values: Sequence[Value]) -> tuple[Value, ...]:
    """Returns values in order, each once; 1 and True are two."""
    return tuple({(type(value), value): value for value in values}.values())

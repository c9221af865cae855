"""Gradescope's contract for results.json, as it documents it, in the form of a validator."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

FORMATS = ("text", "html", "simple_format", "md", "ansi")
VISIBILITIES = ("hidden", "after_due_date", "after_published", "visible")
MOST_CHARACTERS = 100_000

Rule = Callable[[Any], bool]


def number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def string(value: Any) -> bool:
    return isinstance(value, str) and "\0" not in value and len(value) <= MOST_CHARACTERS


def one_of(*values: str) -> Rule:
    return lambda value: value in values


def object_of_strings(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(key, str) for key in value)


def list_of(rule: Rule) -> Rule:
    return lambda value: isinstance(value, list) and all(rule(item) for item in value)


def table(rules: dict[str, Rule], needed: tuple[str, ...] = ()) -> Rule:
    def check(value: Any) -> bool:
        assert isinstance(value, dict), f"not an object: {value!r}"
        assert set(value) <= set(rules), f"unknown keys: {set(value) - set(rules)}"
        assert set(needed) <= set(value), f"missing keys: {set(needed) - set(value)}"
        for key, item in value.items():
            assert rules[key](item), f"{key}: {item!r}"
        return True

    return check


TEST = table({
    "score": number,
    "max_score": number,
    "status": one_of("passed", "failed"),
    "name": string,
    "name_format": one_of(*FORMATS),
    "number": string,
    "output": string,
    "output_format": one_of(*FORMATS),
    "tags": list_of(string),
    "visibility": one_of(*VISIBILITIES),
    "extra_data": object_of_strings,
})  # fmt: skip
LEADERBOARD = table(
    {"name": string, "value": lambda v: number(v) or string(v), "order": one_of("asc", "desc")},
    needed=("name", "value"),
)
RESULTS = table({
    "score": number,
    "execution_time": number,
    "output": string,
    "output_format": one_of(*FORMATS),
    "test_output_format": one_of(*FORMATS),
    "test_name_format": one_of(*FORMATS),
    "visibility": one_of(*VISIBILITIES),
    "stdout_visibility": one_of(*VISIBILITIES),
    "extra_data": object_of_strings,
    "tests": list_of(TEST),
    "leaderboard": list_of(LEADERBOARD),
})  # fmt: skip


def refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def validate(data: bytes) -> dict[str, Any]:
    """Returns what results.json says; fails if Gradescope's documentation does not allow it."""
    text = data.decode("utf-8")
    found = json.loads(text, parse_constant=refuse)
    text.encode("utf-8")
    json.dumps(found, ensure_ascii=False).encode("utf-8")  # no half characters
    RESULTS(found)
    scored = [test for test in found.get("tests", []) if "score" in test]
    assert "score" in found or scored, "neither a score nor tests that have one"
    for test in scored:
        assert "max_score" not in test or 0 <= test["score"] <= test["max_score"]
    result: dict[str, Any] = found
    return result

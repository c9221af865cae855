"""Equations of blanks, and what a misconception changes in them, from equations.toml to HTML."""

from __future__ import annotations

import functools
import html
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("equations.toml")
PART = re.compile(r"\{([a-z]+):")
LETTER = re.compile(r"(?<![A-Za-z&])([A-Za-z][\u0300-\u036f]?)(?![A-Za-z;])")
SHORT = re.compile(r"_([A-Za-z0-9])")
SCRIPTS = {"_": "sub", "^": "sup"}
Changes = Mapping[str, str]
"""Name of a part -> what stands there instead; "" for nothing."""


@dataclass(frozen=True)
class BlankText:
    """What is written about a blank by hand.

    Attributes:
        equation: In the notation of equations.toml; "" where nobody has written it.
        note: What its letters mean, where the equation does not show it.
        changes: Key of a misconception -> what it changes.
        hints: Key of a misconception -> how a log shows it.
        numbers: The formula that the page computes; empty where there is none.
    """

    equation: str = ""
    note: str = ""
    changes: Mapping[str, Changes] = field(default_factory=dict)
    hints: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, Any] = field(default_factory=dict)


@functools.cache
def _file() -> Mapping[str, Any]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def blanks() -> list[str]:
    """Returns the blanks that have an equation."""
    return [name for name in _file() if name != "shared"]


def text_of(blank: str) -> BlankText:
    """Returns what is written about a blank; an empty one where nobody has written anything."""
    plain = dict(_file().get(blank, {}))
    shared = _file()["shared"].get(plain.pop("like", ""), {})
    plain["changes"] = {**shared.get("changes", {}), **plain.get("changes", {})}
    if numbers := plain.get("numbers"):
        plain["numbers"] = _filled(numbers, shared.get("formulas", {}))
    return BlankText(**plain)


def shared_keys(blank: str) -> set[str]:
    """Returns the misconceptions that a blank has from a shared table: it may leave some out."""
    shared = _file()["shared"].get(_file().get(blank, {}).get("like", ""), {})
    return {*shared.get("changes", {}), *shared.get("formulas", {})}


def _filled(numbers: Mapping[str, Any], shared: Mapping[str, str]) -> dict[str, Any]:
    """Returns a formula and those of misconceptions, with what `$V` stands for."""
    value, after = numbers.get("V", ""), numbers.get("after", "")
    formulas = {key: text + after for key, text in shared.items()} if value else {}
    formulas |= numbers["formulas"]
    return {
        **numbers,
        "right": numbers["right"].replace("$V", value),
        "formulas": {key: text.replace("$V", value) for key, text in formulas.items()},
    }


def key_of(misconception: str, blank: BlankText) -> str:
    """Returns the key under which a misconception may stand in the file: without its prefix."""
    named = {*blank.changes, *blank.hints, *blank.numbers.get("formulas", {})}
    return misconception if misconception in named else misconception.rpartition(".")[2]


def rendered(equation: str, changes: Changes | None = None) -> str:
    """Returns an equation as HTML, with what is changed marked.

    Raises:
        ValueError: If a change names no part, or a brace is left over.
    """
    changes = dict(changes or {})
    equation = SHORT.sub(r"_{\1}", equation)
    text, end = _rendered(equation, 0, changes)
    if end != len(equation):
        raise ValueError(f"{equation[end:]!r}: a brace is left over")
    if unknown := changes.keys() - set(PART.findall(equation)):
        raise ValueError(f"{sorted(unknown)}: no part of {equation!r}")
    return text


def _rendered(text: str, at: int, changes: Mapping[str, str]) -> tuple[str, int]:
    """Returns the HTML up to the closing brace that belongs to no opening one, and its place."""
    found, plain = [], ""
    while at < len(text) and text[at] != "}":
        part = PART.match(text, at)
        script = SCRIPTS.get(text[at]) if text[at + 1 : at + 2] == "{" else None
        if not part and not script:
            plain += text[at]
            at += 1
            continue
        found.append(_letters(plain))
        plain = ""
        inner, end = _rendered(text, part.end() if part else at + 2, changes)
        if text[end : end + 1] != "}":
            raise ValueError(f"{text[at:]!r}: a brace is missing")
        found.append(_part(part[1], inner, changes) if part else f"<{script}>{inner}</{script}>")
        at = end + 1
    return "".join([*found, _letters(plain)]), at


def _part(name: str, inner: str, changes: Changes) -> str:
    if name not in changes:
        return inner
    new, _ = _rendered(SHORT.sub(r"_{\1}", changes[name]), 0, {})
    old = f"<del>{inner}</del>" if inner.strip() else ""
    return f"<mark>{old}{f'<ins>{new}</ins>' if new else ''}</mark>"


def _letters(text: str) -> str:
    """Returns plain text with its single letters set as variables."""
    return LETTER.sub(r"<i>\1</i>", html.escape(text, quote=False))

"""The table of how results change with their inputs, found in a verdict's text and laid out."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

HEAD = re.compile(r"\s*how your (.+) change with each input \(")
ROW = re.compile(r"\s*(\*?) *yours (\S+) +ours (\S+) +(\S.*)")
HALF = 100.0  # of a picture's width, for the largest number


@dataclass(frozen=True)
class Change:
    """How far one input moves the results: a bar to the left or right of the middle, for each."""

    place: str
    yours: str
    ours: str
    differs: bool
    bars: tuple[tuple[float, float], ...]
    """Of yours and of ours: where the bar begins, and its length."""


@dataclass(frozen=True)
class Picture:
    """All inputs of one kind of results."""

    results: str
    rows: tuple[Change, ...]


def parts(message: str) -> Iterator[str | Picture]:
    """Yields the text of a message, with a picture in the place of each of its tables."""
    text = list[str]()
    lines = message.split("\n")
    while lines:
        line = lines.pop(0)
        rows = list[re.Match[str]]()
        if head := HEAD.match(line):
            while lines and (row := ROW.fullmatch(lines[0])) and _number(row) is not None:
                rows.append(row)
                lines.pop(0)
        if head and rows:
            if text:
                yield "\n".join(text)
            yield Picture(head[1], tuple(_changes(rows)))
            text = []
        else:
            text.append(line)
    if text:
        yield "\n".join(text)


def _number(row: re.Match[str]) -> tuple[float, float] | None:
    """Returns the numbers of a row, yours and ours; None if one is no finite number."""
    try:
        yours, ours = float(row[2]), float(row[3])
    except ValueError:
        return None
    return (yours, ours) if math.isfinite(yours) and math.isfinite(ours) else None


def _changes(rows: list[re.Match[str]]) -> Iterator[Change]:
    for row in rows:
        numbers = _number(row) or (0.0, 0.0)
        largest = max(map(abs, numbers)) or 1.0
        ends = [HALF * number / largest for number in numbers]
        bars = tuple((HALF + min(end, 0.0), abs(end)) for end in ends)
        yield Change(row[4], row[2], row[3], bool(row[1]), bars)

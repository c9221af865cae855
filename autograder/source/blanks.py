"""Where blanks are: empty, with a solution between its markers, or filled in.

In our own source two comments are around a solution, as docs/architecture.md has them. The first
has the blank's id and, after an arrow, the names that the solution leaves for the code below it, or
`return` where it ends the function. In a handout `target = TODO("hw3.dqn.targets")` is there.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from autograder.source import PACKAGE

# No marker may be in a handout, nor what a search for one finds.
BEGIN = re.compile(r"^( *)# BEGIN[ ]SOLUTION (hw\d+\.\w+\.\w+)(?: -> (\w+(?:, \w+)*))?$")
END = re.compile(r"^( *)# END[ ]SOLUTION$")
MARKER = re.compile("(BEGIN|END)[ ]SOLUTION")
EMPTY = re.compile(r'TODO\("(hw\d+\.\w+\.\w+)"\)')


@dataclass(frozen=True)
class Region:
    """One blank of our source: what it defines, and its lines, from 1, markers included."""

    id: str
    outputs: tuple[str, ...]
    first: int
    last: int
    indent: int

    @property
    def homework(self) -> str:
        """Such as "hw3"."""
        return self.id.split(".")[0]

    def blank(self) -> str:
        """Returns the line that replaces the region in the handout."""
        todo = f'TODO("{self.id}")'
        if self.outputs == ("return",):
            todo = f"return {todo}"
        elif self.outputs:
            todo = f"{', '.join(self.outputs)} = {todo}"
        return " " * self.indent + todo


def find_regions(text: str, where: str = "source") -> list[Region]:
    """Finds the regions of a file, in order.

    Raises:
        ValueError: If a marker is malformed, nested, or without its counterpart.
    """
    regions = []
    opened: re.Match[str] | None = None
    first = 0
    for number, line in enumerate(text.splitlines(), 1):
        if not MARKER.search(line):
            continue
        begin, end = BEGIN.match(line), END.match(line)
        if fault := _fault(opened, begin, end):
            raise ValueError(f"{where}:{number}: {fault}")
        if opened is None:
            opened, first = begin, number
            continue
        outputs = tuple(opened[3].split(", ")) if opened[3] else ()
        regions.append(Region(opened[2], outputs, first, number, len(opened[1])))
        opened = None
    if opened:
        raise ValueError(f"{where}:{first}: region is never closed")
    return regions


def _fault(
    opened: re.Match[str] | None, begin: re.Match[str] | None, end: re.Match[str] | None
) -> str:
    """Returns what is wrong with a line that has a marker; "" if nothing is."""
    if begin:
        return "region inside a region" if opened else ""
    if end is None:
        return "malformed marker"
    if opened is None:
        return "END without BEGIN"
    return "" if end[1] == opened[1] else "END is indented otherwise"


class Place(NamedTuple):
    """The lines of a blank: the file's path within `cs285`, the first line and the last, from 1."""

    file: str
    first: int
    last: int
    empty: bool = False  # whether nobody has filled it in yet

    def __str__(self) -> str:
        """Returns the place as editors and terminals understand it.

        Line 0 means that the file is not there, or no text.
        """
        line = f":{self.first}" if self.first else " (missing, or no text)"
        return f"{PACKAGE}/{self.file}{line}"

    def has(self, file: str, line: int) -> bool:
        """Returns whether a line is one of the blank's."""
        return file == self.file and self.first <= line <= self.last


def lines_of(blank: str, given: Sequence[str], own: Sequence[str]) -> tuple[int, int]:
    """Returns the first and the last line of a blank in a student's file.

    It is still empty, or between the markers of our own source, or what stands in its place.
    """
    for number, line in enumerate(own, 1):
        if f'TODO("{blank}")' in line:
            return number, number
        begin = BEGIN.match(line)
        if begin and begin[2] == blank:
            end = next((n for n in range(number, len(own)) if END.match(own[n])), number)
            return number + 1, max(end, number + 1)
    return _in_its_place(blank, given, own)


def _in_its_place(blank: str, given: Sequence[str], own: Sequence[str]) -> tuple[int, int]:
    """Returns the lines that a comparison with the handout's file finds in the blank's place."""
    empty = next(n for n, line in enumerate(given) if f'TODO("{blank}")' in line)
    matcher = difflib.SequenceMatcher(None, given, own, autojunk=False)
    for _, first, last, start, end in matcher.get_opcodes():
        if first <= empty < last:
            written = [n for n in range(start, end) if own[n].strip() and own[n].strip()[0] != "#"]
            shown = (written[0], written[-1]) if written else (start, max(start, end - 1))
            return min(shown[0] + 1, len(own) or 1), min(shown[1] + 1, len(own) or 1)
    return 1, 1

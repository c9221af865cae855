"""Solution regions of the source: found, checked, and replaced by blanks.

    # BEGIN SOLUTION hw3.dqn.targets -> target
    ...
    # END SOLUTION

becomes `target = TODO("hw3.dqn.targets")`. After the arrow come the names that the region leaves
for the code below it, or `return` where it ends the function.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection
from dataclasses import dataclass

BEGIN = re.compile(r"^( *)# BEGIN SOLUTION (hw\d+\.\w+\.\w+)(?: -> (\w+(?:, \w+)*))?$")
END = re.compile(r"^( *)# END SOLUTION$")
MARKER = re.compile("(BEGIN|END) SOLUTION")
FIRST_DEFINITION = re.compile(r"^(?=def |class |@)", re.MULTILINE)
TODO_IMPORT = "from cs285.infrastructure.blanks import TODO"


@dataclass(frozen=True)
class Region:
    """One blank of a file: what it defines, and its lines, from 1, markers included."""

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


def find_regions(text: str, where: str = "source") -> list[Region]:  # noqa: C901  (a parser)
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
        if begin:
            if opened:
                raise ValueError(f"{where}:{number}: region inside a region")
            opened, first = begin, number
            continue
        if end is None:
            raise ValueError(f"{where}:{number}: malformed marker")
        if opened is None:
            raise ValueError(f"{where}:{number}: END without BEGIN")
        if end[1] != opened[1]:
            raise ValueError(f"{where}:{number}: END is indented otherwise")
        outputs = tuple(opened[3].split(", ")) if opened[3] else ()
        regions.append(Region(opened[2], outputs, first, number, len(opened[1])))
        opened = None
    if opened:
        raise ValueError(f"{where}:{first}: region is never closed")
    return regions


def fill(text: str, bodies: dict[str, str | None], where: str = "source") -> str:
    """Replaces regions of a file.

    Args:
        text: The solved source.
        bodies: For each region to replace, by id: its new lines, indented as they will be, or
            None for its blank.
        where: The file's name, for messages.

    Returns:
        The file; it imports TODO if a blank needs that. Other regions keep solution and markers.
    """
    lines = text.splitlines()
    for region in reversed(find_regions(text, where)):
        if region.id in bodies:
            body = bodies[region.id]
            new = [region.blank()] if body is None else body.rstrip("\n").split("\n")
            lines[region.first - 1 : region.last] = new
    if any(body is None for body in bodies.values()) and TODO_IMPORT not in text:
        lines.insert(_last_import(text), TODO_IMPORT)
    return "\n".join(lines) + "\n"


def strip(text: str, where: str = "source", homework: str = "") -> str:
    """Returns the file as it is given out, with blanks in the place of its regions.

    Args:
        text: The solved source.
        where: The file's name, for messages.
        homework: Whose handout it is for. The blanks of earlier homeworks stay solved there, for
            they have been handed in by then. Empty: none stays.
    """
    regions = find_regions(text, where)
    kept = {region.id for region in regions if is_earlier(region.homework, homework)}
    return without_markers(text, {region.id for region in regions} - kept, where)


def without_markers(text: str, empty: Collection[str], where: str = "source") -> str:
    """Returns the file with some regions replaced by their blanks, and all others solved."""
    regions, lines = find_regions(text, where), text.splitlines()
    if not regions:
        return text
    bodies = {r.id: "\n".join(lines[r.first : r.last - 1]) for r in regions}
    return fill(text, {i: None if i in empty else body for i, body in bodies.items()}, where)


def is_earlier(homework: str, other: str) -> bool:
    """Returns whether a homework, such as "hw3", comes before another; none comes before ""."""
    return bool(other) and int(homework.removeprefix("hw")) < int(other.removeprefix("hw"))


def _last_import(text: str) -> int:
    """Returns the number of the line on which the imports at the top of a file end."""
    top = FIRST_DEFINITION.split(text, maxsplit=1)[0]
    imports = [n for n in ast.parse(top).body if isinstance(n, ast.Import | ast.ImportFrom)]
    return int(imports[-1].end_lineno or 0)

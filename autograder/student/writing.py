"""Writes code into a blank of a student's file, as a cell of a notebook has it."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

from autograder.base.files import write_whole
from autograder.source.blanks import BEGIN, END, Place
from autograder.source.submission import places

BETWEEN = "# BEGIN" + " SOLUTION {blank}", "# END" + " SOLUTION"
"""The lines around what a cell wrote. By them its next version finds its place."""


class UnknownBlankError(Exception):
    """There is no such blank, or its file cannot be read; one line explains it."""


def fill(blank: str, code: str, package: Path) -> Place:
    """Writes code into a blank; the file stays as it is if it has that code.

    Args:
        blank: Such as "hw3.dqn.targets".
        code: Its lines, however far they are indented.
        package: The student's `cs285` folder.

    Returns:
        Where the code is now.

    Raises:
        UnknownBlankError: If there is no such blank in that folder.
        OSError: If the file cannot be written.
    """
    place = place_of(blank, package)
    file = package / place.file
    text = file.read_text(encoding="utf-8")
    lines = text.split("\n")
    first, last = with_markers(lines, place)
    indent = re.match(" *", lines[place.first - 1])
    new = [BETWEEN[0].format(blank=blank), *body(code), BETWEEN[1]]
    lines[first:last] = [f"{indent[0] if indent else ''}{line}".rstrip() for line in new]
    if (changed := "\n".join(lines)) != text:
        write_whole(file, changed)
    return place_of(blank, package)


def place_of(blank: str, package: Path) -> Place:
    """Returns where a blank is in a student's files.

    Raises:
        UnknownBlankError: If it is nowhere.
    """
    known = places(blank.partition(".")[0], package)
    if blank not in known:
        raise UnknownBlankError(f"there is no blank {blank}; there is: {', '.join(known)}")
    if not known[blank].first:
        raise UnknownBlankError(f"{known[blank]}: get that file from the handout again")
    return known[blank]


def with_markers(lines: list[str], place: Place) -> tuple[int, int]:
    """Returns the first line of a blank and the one after it, from 0, markers included."""
    first, last = place.first - 1, place.last
    if first and BEGIN.match(lines[first - 1]):
        first -= 1
        while last < len(lines) and not END.match(lines[last]):
            last += 1
        last += 1
    return first, last


def body(code: str) -> list[str]:
    """Returns the lines of a cell, without indentation that all of them have."""
    return textwrap.dedent(code.replace("\r\n", "\n")).strip("\n").split("\n")


def is_empty(blank: str, code: str) -> bool:
    """Returns whether a cell still calls the TODO of its blank."""
    return f'TODO("{blank}")' in code

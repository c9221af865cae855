"""Where a student's files have their blanks, filled in or not."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from autograder.source.submission import Tree, given_texts
from autograder.source.syntax import PACKAGE

# Of our own source; a handout has neither markers nor the module that reads them.
BEGIN = re.compile(r"^ *# BEGIN[ ]SOLUTION (\S+)")
END = re.compile(r"^ *# END[ ]SOLUTION")
EMPTY = re.compile(r'TODO\("(hw\d+\.\w+\.\w+)"\)')


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
        return f"{PACKAGE}/{self.file}" + (
            f":{self.first}" if self.first else " (missing, or no text)"
        )

    def has(self, file: str, line: int) -> bool:
        """Returns whether a line is one of the blank's."""
        return file == self.file and self.first <= line <= self.last


def places(homework: str, package: Path) -> dict[str, Place]:
    """Returns the place of each blank of a homework in a student's `cs285` folder, by id."""
    tree, found = Tree(package), dict[str, Place]()
    for path, given in given_texts(homework).items():
        ids = [id for id in EMPTY.findall(given) if id.startswith(f"{homework}.")]
        if not ids:
            continue
        try:
            own = tree.student(path)
        except SyntaxError:  # it is no text
            own = None
        for id in ids:
            lines = (0, 0) if own is None else lines_of(id, given.splitlines(), own.splitlines())
            found[id] = Place(path, *lines, empty=own is None or f'TODO("{id}")' in own)
    return found


def lines_of(blank: str, given: Sequence[str], own: Sequence[str]) -> tuple[int, int]:
    """Returns the first and the last line of a blank in a student's file.

    It is still empty, or between the markers of our own source, or what stands in its place.
    """
    for number, line in enumerate(own, 1):
        if f'TODO("{blank}")' in line:
            return number, number
        begin = BEGIN.match(line)
        if begin and begin[1] == blank:
            rest = range(number, len(own))
            end = next((n for n in rest if END.match(own[n])), number)
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

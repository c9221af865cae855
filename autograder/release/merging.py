"""Merges two changes of one text, line by line: a learner's, and a new handout's.

What the learner wrote in the place of a blank goes where the new handout has that blank.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import NamedTuple

EMPTY = 'TODO("'  # is in the line that an empty blank consists of


class Edit(NamedTuple):
    """The lines of the old text from `first` up to `last` become others."""

    first: int
    last: int
    lines: tuple[str, ...]
    place: int
    """Where these are in the changed text, from 1."""

    def meets(self, other: Edit) -> bool:
        """Returns whether both change one line, or write at one place."""
        if self.first == self.last == other.first == other.last:
            return True
        return max(self.first, other.first) < min(self.last, other.last) or (
            self.first == self.last
            and other.first < self.first < other.last
            or other.first == other.last
            and self.first < other.first < self.last
        )


def edits(old: Sequence[str], new: Sequence[str]) -> list[Edit]:
    """Returns what makes one text of another, in order."""
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [
        Edit(first, last, tuple(new[start:end]), start + 1)
        for tag, first, last, start, end in matcher.get_opcodes()
        if tag != "equal"
    ]


def merged(base: str, own: str, new: str) -> tuple[str, list[int]]:
    """Returns the text that has both changes, and the learner's lines that are in the way.

    Args:
        base: The text as it was given out.
        own: The learner's.
        new: The text as it is given out now.
    """
    lines, given = base.splitlines(keepends=True), new.splitlines(keepends=True)
    mine = edits(lines, own.splitlines(keepends=True))
    theirs = edits(lines, given)
    both = {edit[:3] for edit in mine} & {edit[:3] for edit in theirs}
    theirs = [edit for edit in theirs if edit[:3] not in both]
    blanks = {line.strip(): line for line in given if EMPTY in line}
    bodies = {blanks[name]: m for m in mine if (name := _blank_of(m, lines)) in blanks}
    mine = [edit for edit in mine if edit not in bodies.values()]
    conflicts = [m.place for m in mine if m[:3] not in both and any(map(m.meets, theirs))]
    if conflicts:
        return own, conflicts
    found, at = [], 0
    for edit in sorted([*mine, *theirs]):
        found += lines[at : edit.first]
        found += edit.lines
        at = max(at, edit.last)
    found += lines[at:]
    for empty, body in bodies.items():
        at = found.index(empty)
        found[at : at + 1] = _indented(body.lines, lines[body.first], empty)
    return "".join(found), []


def _blank_of(edit: Edit, lines: Sequence[str]) -> str:
    """Returns the line of the blank that an edit fills; "" if it changes anything else."""
    one = edit.last == edit.first + 1 and EMPTY in lines[edit.first]
    return lines[edit.first].strip() if one else ""


def _indented(body: Sequence[str], before: str, now: str) -> list[str]:
    """Returns the lines that stood at the indent of one line, at that of another."""
    old, new = (line[: len(line) - len(line.lstrip())] for line in (before, now))
    return [new + line[len(old) :] if line.startswith(old) else line for line in body]

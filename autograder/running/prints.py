"""What a student's code prints: by its line, and little enough to be read.

Texts that Python prints are noted with the student's line that does it. Of each line the first few
texts are kept. Whatever else arrives at the files 1 and 2, such as the output of a library in C,
goes nowhere.

This is for `check` at home. Where strangers' code is graded, all that is printed goes nowhere: a
report of it might carry out what the probes show to the code.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, NamedTuple

from autograder.source.importing import AS_GIVEN

MOST_LINES, MOST_CHARACTERS = 8, 200  # of what one line prints; of each line of that
MOST_PLACES = 40  # lines of code that print
MOST_WRITES = 20_000  # after which nothing more is noted
DEEPEST = 60  # frames between a student's line and the write


class Printed(NamedTuple):
    """What one line of a student's code printed."""

    file: str  # the path within the package; "" if nobody knows
    line: int
    texts: tuple[str, ...]  # the first lines of it, without their ends
    more: int  # how many lines were left out


@dataclass
class Part:
    """The beginning of what one place printed."""

    text: str = ""
    lost: int = 0  # lines that were left out

    def add(self, text: str) -> None:
        """Keeps what there is room for."""
        room = MOST_LINES * MOST_CHARACTERS - len(self.text)
        kept = text[: max(room, 0)]
        self.text += kept
        self.lost += text.count("\n", len(kept))

    def printed(self, file: str, line: int) -> Printed:
        """Returns its first lines; equal ones that follow each other are one line."""
        text, found = self.text, list[tuple[str, int]]()
        if self.lost and "\n" in text:  # the last line is torn
            text = text[: text.rindex("\n") + 1]
        for one, same in itertools.groupby(text.expandtabs(4).splitlines()):
            found.append((shortened(one), len([*same])))
        shown = [f"{one}  (x{n})" if n > 1 else one for one, n in found[:MOST_LINES]]
        return Printed(file, line, tuple(shown), self.lost + sum(n for _, n in found[MOST_LINES:]))


def shortened(text: str) -> str:
    """Returns a line that is short enough."""
    return text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 4]} ..."


@dataclass
class Prints:
    """All that is printed while a probe runs."""

    package: str
    parts: dict[tuple[str, int], Part] = field(default_factory=dict)
    writes: int = 0

    def note(self, text: str, frame: FrameType | None) -> None:
        """Notes a text under the innermost line of the student's."""
        self.writes += 1
        if self.writes > MOST_WRITES or (place := self._place(frame)) is None:
            return
        part = self.parts.get(place)
        if part is None:
            if len(self.parts) >= MOST_PLACES:
                return
            part = self.parts[place] = Part()
        part.add(text)

    def _place(self, frame: FrameType | None) -> tuple[str, int] | None:
        for _ in range(DEEPEST):
            if frame is None:
                return None
            name = frame.f_code.co_filename
            if name.startswith(self.package) and not name.endswith(AS_GIVEN):
                return name[len(self.package) :].lstrip("/\\").replace("\\", "/"), frame.f_lineno
            frame = frame.f_back
        return None

    def as_note(self) -> list[list[Any]]:
        """Returns plain values for a message, which `read_note` reads."""
        every = [part.printed(*place) for place, part in self.parts.items()]
        return [[one.file, one.line, one.more, *one.texts] for one in every]


PRESENT: list[Prints] = []  # of the probe that runs now, if anybody wants to see them


class Stream(io.TextIOWrapper):
    """Stands for `sys.stdout` or `sys.stderr`: it has all that these have, and notes texts."""

    def __init__(self, prints: Prints, fd: int) -> None:
        """Notes in `prints`. `fd`: where bytes go, which no Python code need be behind."""
        raw: Any = open(fd, "wb", buffering=0, closefd=False)
        super().__init__(raw, encoding="utf-8", errors="replace", write_through=True)
        self.prints = prints

    def write(self, text: str) -> int:
        """Notes a text."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self.prints.note(text, sys._getframe(1))
        return len(text)


@contextlib.contextmanager
def noted(package: str) -> Iterator[Prints]:
    """Notes all that Python prints within; `package` is the student's folder."""
    prints = Prints(package)
    PRESENT.append(prints)
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = Stream(prints, 1), Stream(prints, 2)
    try:
        yield prints
    finally:
        sys.stdout, sys.stderr = before
        PRESENT.remove(prints)


def noted_so_far() -> list[list[Any]]:
    """Returns what was noted up to now, for whoever ends this process."""
    return [one for prints in PRESENT for one in prints.as_note()]


def read_note(plain: Any) -> tuple[Printed, ...]:
    """Reads what `Prints.as_note` made and a message carried; nothing from what is none of that."""
    try:
        return tuple(
            Printed(str(file), int(line), tuple(map(str, texts[:MOST_LINES])), int(more))
            for file, line, more, *texts in list(plain)[:MOST_PLACES]
        )
    except (TypeError, ValueError):
        return ()

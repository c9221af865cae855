"""A student's code as people read it: what stands in each blank, and what else was changed.

The gradebook keeps the files for that. They are compared with the handout's, line by line.
"""

from __future__ import annotations

import difflib
import functools
import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from autograder.classroom.gradebook import Gradebook
from autograder.source import PACKAGE
from autograder.source.blanks import find_regions
from autograder.source.reference import without_markers
from autograder.source.submission import GIVEN, given_texts

EMPTY = re.compile(r'TODO\("(hw\d+\.\w+\.\w+)"\)')
LARGEST = 2**20  # characters of one submission that are kept
MOST_COMPARED = 5000  # lines of a file
MOST_EQUAL = 200_000  # pairs of equal lines, in a file and the handout's
MOST_LINES = 400  # of one change that are shown


@dataclass(frozen=True)
class Change:
    """Lines that differ from the handout's.

    Attributes:
        blanks: The ids of the blanks that it fills; empty: code elsewhere.
        file: The path within `cs285`.
        first: The number of its first line in the student's file, from 1.
        given: The handout's lines.
        own: The student's lines.
    """

    blanks: tuple[str, ...]
    file: str
    first: int
    given: tuple[str, ...]
    own: tuple[str, ...]

    @property
    def place(self) -> str:
        """The place as editors understand it."""
        return f"{PACKAGE}/{self.file}:{self.first}"

    def has(self, line: int) -> bool:
        """Returns whether a line of the student's file is one of these."""
        return self.first <= line < self.first + len(self.own)

    @property
    def text(self) -> str:
        """The student's lines, without the indent that all have."""
        return textwrap.dedent("\n".join(self.own)).strip("\n")

    @property
    def lines(self) -> list[tuple[str, str]]:
        """The handout's lines with "-", then the student's with "+"."""
        shown = [("-", line) for line in self.given] + [("+", line) for line in self.own]
        left = len(shown) - MOST_LINES
        return [*shown[:MOST_LINES], (" ", f"... {left} more lines")] if left > 0 else shown


def kept_files(homework: str, files: Mapping[str, bytes]) -> dict[str, str]:
    """Returns what people may want to read of a submission, by path within `cs285`.

    These are the files with blanks, and those that are not as they were given out.
    """
    found, left = dict[str, str](), LARGEST
    for path, data in sorted(files.items()):
        text = plainly_decoded(data)
        if text in bases(homework).get(path, ()) and not _ids(homework, text):
            continue
        if len(text) <= left and "\0" not in text:
            found[path] = text
            left -= len(text)
    return found


def plainly_decoded(data: bytes) -> str:
    """Returns a file as text, with line feeds alone.

    It is read as UTF-8, whatever it declares: some codecs take hours for a megabyte, and this runs
    outside of any sandbox.
    """
    text = data.decode("utf-8-sig", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


@functools.cache
def bases(homework: str) -> Mapping[str, tuple[str, ...]]:
    """Returns the texts of each file that students start from: the handout's, and a learner's.

    In a learner's tree the blanks of all other homeworks are solved.
    """
    given = given_texts(homework)
    if GIVEN.is_dir():
        return {path: (text,) for path, text in given.items()}
    from autograder.source import reference

    found = {}
    for path, text in given.items():
        solved = reference.texts().get(path, text)
        empty = {r.id for r in find_regions(solved, path) if r.homework == homework}
        found[path] = tuple(dict.fromkeys([text, without_markers(solved, empty, path)]))
    return found


def nearest_base(homework: str, path: str, own: str) -> str:
    """Returns the text from which a student's file differs in fewest lines."""
    lines = Counter(own.splitlines())
    found = bases(homework)[path]
    return min(found, key=lambda text: (lines - Counter(text.splitlines())).total())


def keep_files(book: Gradebook, digest: str, files: Mapping[str, str]) -> None:
    """Keeps the files of a submission, which is named by its content."""
    rows = [(digest, path, text) for path, text in files.items()]
    book.write("INSERT OR IGNORE INTO sources VALUES (?, ?, ?)", rows)


def files_of(book: Gradebook, digest: str) -> dict[str, str]:
    """Returns the files that are kept of a submission; none of an older release's."""
    rows = book.connection.execute(
        "SELECT path, text FROM sources WHERE digest = ? ORDER BY path", (digest,)
    )
    return {row["path"]: row["text"] for row in rows}


def changes(homework: str, files: Mapping[str, str]) -> list[Change]:
    """Returns where a student's files differ from the handout's: blanks first, in its order."""
    given = given_texts(homework)
    found = []
    for path, text in files.items():
        if path in given:
            found += list(_changes(homework, path, nearest_base(homework, path, text), text))
        else:
            found.append(Change((), path, 1, (), tuple(text.splitlines())))
    order = {id: n for n, id in enumerate(i for t in given.values() for i in _ids(homework, t))}
    return sorted(
        found, key=lambda c: (not c.blanks, [order.get(id, 0) for id in c.blanks], c.file)
    )


def _ids(homework: str, text: str) -> list[str]:
    return [id for id in EMPTY.findall(text) if id.startswith(f"{homework}.")]


def _changes(homework: str, path: str, given: str, own: str) -> Iterator[Change]:
    """Yields the differing lines of one file."""
    one = [line.rstrip() for line in given.splitlines()]
    two = [line.rstrip() for line in own.splitlines()]
    if not _is_comparable(one, two):
        yield Change((), path, 1, (), tuple(two))
        return
    begin = next((n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), None)
    begin = min(len(one), len(two)) if begin is None else begin
    matcher = difflib.SequenceMatcher(None, one[begin:], two[begin:], autojunk=False)
    for tag, first, last, start, end in matcher.get_opcodes():
        before, after = one[begin + first : begin + last], two[begin + start : begin + end]
        if tag != "equal" and (any(before) or any(after)):
            blanks = tuple(_ids(homework, "\n".join(before)))
            skipped = next((n for n, line in enumerate(after) if line), 0)
            number = begin + start + skipped + 1
            yield Change(blanks, path, number, _trimmed(before), _trimmed(after))


def _is_comparable(one: Sequence[str], two: Sequence[str]) -> bool:
    """Returns whether a comparison ends soon: many equal lines make it take hours."""
    times = Counter(one)
    same = sum(times[line] * number for line, number in Counter(two).items())
    return len(two) <= MOST_COMPARED and same <= MOST_EQUAL


def _trimmed(lines: Sequence[str]) -> tuple[str, ...]:
    """Returns lines without the empty ones at both ends."""
    text = "\n".join(lines).strip("\n")
    return tuple(text.split("\n")) if text else ()


def empty_places(homework: str, files: Mapping[str, str]) -> dict[str, str]:
    """Returns the place of each blank that nobody has filled."""
    found = {}
    for path, text in files.items():
        for number, line in enumerate(text.splitlines(), 1):
            for id in _ids(homework, line):
                found[id] = f"{PACKAGE}/{path}:{number}"
    return found


def solutions(homework: str) -> dict[str, str]:
    """Returns our solution of each blank, for instructors; a handout has none."""
    from autograder.source import reference

    found = {}
    for path, text in reference.texts().items():
        lines = text.splitlines()
        for region in find_regions(text, path):
            if region.homework == homework:
                body = lines[region.first : region.last - 1]
                found[region.id] = textwrap.dedent("\n".join(body))
    return found

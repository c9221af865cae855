"""Executable mistakes, and right forms, written against our reference: the grader's own exam.

An entry changes the solution of one blank, or a file that is given to students. `wrong` and
`right` make entries; each module of this folder has a list `ENTRIES`.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.source import ROOT
from autograder.source.blanks import find_regions
from autograder.source.reference import fill
from tests.running import ALL

PACKAGE = ROOT / "cs285"


@dataclass(frozen=True)
class Entry:
    """One submission that differs from the reference in one place.

    Attributes:
        source: Its row in the samples that the grader was built from, such as "Q01"; "" if none.
        blank: The id of the blank it changes; or the path of a given file, within `cs285`.
        body: The blank's new lines (any common indent). None: the reference's.
        changes: (old, new) pairs, each made once, in the body or in the file; old must be there.
        misconceptions: Ids that the verdict must name, all and no others. Empty: it is right.
        check: The check that must name them; the blank's own if empty.
    """

    source: str
    blank: str
    body: str | None
    changes: tuple[tuple[str, str], ...]
    misconceptions: tuple[str, ...]
    check: str = ""

    @property
    def judged_by(self) -> str:
        """The id of the check that must judge it."""
        return self.check or self.blank

    @property
    def homework(self) -> str:
        """The homework whose checks judge it."""
        return self.judged_by.partition(".")[0]

    @property
    def name(self) -> str:
        """A name for reports."""
        what = "+".join(self.misconceptions) or "right"
        new = " ".join((self.changes[-1][1] if self.changes else self.body or "").split())
        return f"{self.source or '-'} {self.blank.removeprefix('hw3.')} {what} {new[:40]}"


def wrong(
    source: str,
    blank: str,
    misconceptions: str | Sequence[str],
    *changes: tuple[str, str],
    body: str | None = None,
    check: str = "",
) -> Entry:
    """Returns a mistaken entry."""
    ids = (misconceptions,) if isinstance(misconceptions, str) else tuple(misconceptions)
    return Entry(source, blank, body, changes, ids, check)


def right(
    source: str, blank: str, *changes: tuple[str, str], body: str | None = None, check: str = ""
) -> Entry:
    """Returns an entry that must pass."""
    return Entry(source, blank, body, changes, (), check)


def some(entries: Sequence[Entry], step: int) -> Sequence[Entry]:
    """Returns every `step`-th entry; with CS285_ALL=1 in the environment, all."""
    return entries if ALL else entries[::step]


@functools.cache
def reference_files() -> dict[str, str]:
    """Returns the solved source: path within cs285 -> text."""
    return {str(p.relative_to(PACKAGE)): p.read_text() for p in sorted(PACKAGE.rglob("*.py"))}


@functools.cache
def homes(homework: str = "hw3") -> dict[str, tuple[str, str]]:
    """Returns where each blank of a homework is ("hw": of all): id -> (path, its solution)."""
    found = {}
    for path, text in reference_files().items():
        lines = text.splitlines()
        for region in (r for r in find_regions(text, path) if r.homework.startswith(homework)):
            body = "\n".join(lines[region.first : region.last - 1])
            found[region.id] = (path, textwrap.dedent(body))
    return found


def files_of(entries: Iterable[Entry]) -> dict[str, str]:
    """Returns the files that differ from the reference when all of `entries` are made.

    Raises:
        ValueError: If a change does not apply, or two entries replace one body.
    """
    bodies: dict[str, str] = {}
    files: dict[str, str] = {}
    replaced: set[str] = set()
    for entry in entries:
        if entry.blank in homes("hw"):
            text = bodies.get(entry.blank, homes("hw")[entry.blank][1])
            if entry.body is not None:
                if entry.blank in replaced or entry.blank in bodies:
                    raise ValueError(f"two bodies for {entry.blank}")
                replaced.add(entry.blank)
                text = textwrap.dedent(entry.body).strip("\n")
            bodies[entry.blank] = _change(text, entry)
        else:
            text = files.get(entry.blank, reference_files()[entry.blank])
            files[entry.blank] = _change(text, entry)
    for path in {homes("hw")[blank][0] for blank in bodies}:
        text = files.get(path, reference_files()[path])
        indents = {region.id: " " * region.indent for region in find_regions(text, path)}
        inside = {i: textwrap.indent(bodies[i], indents[i]) for i in bodies if i in indents}
        files[path] = fill(text, dict(inside), path)
    return files


def _change(text: str, entry: Entry) -> str:
    for old, new in entry.changes:
        if old not in text:
            raise ValueError(f"{entry.name}: {old!r} is not there")
        text = text.replace(old, new, 1)
    return text


def write(folder: Path, entries: Iterable[Entry]) -> Path:
    """Writes a whole solved submission, changed by `entries`; returns its cs285 folder."""
    for path, text in (reference_files() | files_of(entries)).items():
        (folder / "cs285" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "cs285" / path).write_text(text)
    return folder / "cs285"


def all_entries(homework: str = "hw3") -> list[Entry]:
    """Returns the entries of every module of this folder that a homework's checks judge."""
    entries: list[Entry] = []
    for info in pkgutil.iter_modules(__path__):
        entries += importlib.import_module(f"{__name__}.{info.name}").ENTRIES
    return [entry for entry in entries if entry.homework == homework]

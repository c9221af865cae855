"""Finds submissions: folders and archives, as students and exports of platforms leave them.

Nothing is unpacked onto the disk. Of each submission the Python files are read into memory, within
limits, wherever in it its `cs285` is; links, devices and names that lead elsewhere are left out.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from autograder.classroom.exports import (
    HANDED_IN,
    HIDDEN,
    METADATA,
    Sender,
    canvas_groups,
    export_within,
    gradescope_senders,
    plain_name,
    visible_entries,
)
from autograder.classroom.read_submission import PYTHON, is_archive
from autograder.classroom.reader import Found, Reader
from autograder.running.limits import Limited

READING = 15.0, 2**29  # seconds and bytes that reading one submission may take, and its runs again
NO_SUBMISSIONS = (METADATA, ".DS_Store", "Thumbs.db", "__MACOSX")


def collect(folder: Path, handout: Sequence[str], runs: bool = False) -> list[Found]:
    """Finds all submissions in a folder.

    Each folder or archive in it is one; so is each entry of a Gradescope export, and all files that
    a Canvas export has of one student.

    Args:
        folder: The download, or a folder of what was collected.
        handout: The handout's own files, as paths within `cs285`, to find single files' places.
        runs: Whether the runs that were handed in are looked at too.

    Raises:
        OSError: If the folder cannot be read.
        UsageError: If an export's own list is damaged.
    """
    folder = export_within(folder)
    senders = gradescope_senders(folder)
    entries = sorted(visible_entries(folder))
    groups = canvas_groups(entries)
    in_groups = {entry for group in groups.values() for entry in group}
    with contextlib.closing(Limited(*READING)) as limited:
        reader = Reader(folder, handout, runs, limited)
        found = [reader.read(sender, group) for sender, group in groups.items()]
        others = [e for e in entries if is_submission(e) and e not in in_groups]
        for group in by_sender(reader, others, senders):
            found += reader.read_for_all(group, senders.get(group[0].name))
    found += list(without_folder(senders, entries))
    return list(distinguished(found))


def by_sender(
    reader: Reader, entries: Sequence[Path], senders: Mapping[str, Sequence[Sender]]
) -> list[list[Path]]:
    """Returns entries in groups: single files that are called after one student lie together."""
    groups: dict[tuple[str, str], list[Path]] = {}  # by the student of single files, or the entry
    for entry in entries:
        single = entry.is_file() and entry.name.lower().endswith(PYTHON)
        student = reader.called(entry).student if single and entry.name not in senders else ""
        groups.setdefault((student, "" if student else entry.name), []).append(entry)
    return list(groups.values())


def without_folder(
    senders: Mapping[str, Sequence[Sender]], entries: Sequence[Path]
) -> Iterator[Found]:
    """Yields what an export's list names, and has no folder."""
    there = {entry.name for entry in entries}
    for name, those in senders.items():
        for sender in those if name not in there else ():
            problem = f"{METADATA} names it, and its folder is not there: export it again"
            yield Found(name, sender, problem=problem)


def read_one(
    place: Path, handout: Sequence[str], runs: bool = False, descend: bool = True
) -> Found:
    """Reads what one student has handed in, in a folder or an archive, as `collect` does.

    The folder may also contain nothing but an archive; with `descend`, be one within others.
    """
    inner = place
    while descend and inner.is_dir() and not inner.is_symlink():
        entries = visible_entries(inner)
        if len(entries) != 1 or not (entries[0].is_dir() or is_archive(entries[0])):
            break
        (inner,) = entries
    with contextlib.closing(Limited(*READING)) as limited:
        reader = Reader(inner.parent, handout, runs, limited)
        return reader.read(Sender(inner.name), [inner])


def skipped(folder: Path) -> list[str]:
    """Returns the names of what lies among submissions and is not taken for one."""
    folder = export_within(folder)
    entries = list(folder.iterdir())
    taken = {entry for group in canvas_groups(entries).values() for entry in group}
    left = (e for e in entries if e not in taken and e.name not in NO_SUBMISSIONS)
    return sorted(plain_name(entry.name) for entry in left if not is_submission(entry))


def is_submission(entry: Path) -> bool:
    """Returns whether a folder, archive or Python file is taken for a submission."""
    if entry.name.startswith(HIDDEN):
        return False
    by_name = entry.name.lower().endswith(HANDED_IN)
    return by_name or entry.is_dir() or entry.is_symlink()


def distinguished(found: Sequence[Found]) -> Iterator[Found]:
    """Yields submissions of which no two have one name, however strange names are on this disk."""
    times: Counter[str] = Counter()
    for one in found:
        source = one.source
        while times[source]:
            source = f"{one.source} ({times[one.source] + 1})"
            times[one.source] += 1
        times[source] += 1
        yield replace(one, source=source)

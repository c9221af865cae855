"""Finds submissions: folders and archives, as students and exports of platforms leave them.

Nothing is unpacked onto the disk. Of each submission the Python files are read into memory, within
limits, wherever in it its `cs285` is; links, devices and names that lead elsewhere are left out.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from autograder.base.text import one_line
from autograder.classroom.archive_formats import UnreadableError
from autograder.classroom.exports import (
    HIDDEN,
    METADATA,
    Sender,
    canvas_groups,
    export_within,
    gradescope_senders,
    original_name,
    plain_name,
    visible,
)
from autograder.classroom.read_submission import ARCHIVES, is_archive, plainly_read
from autograder.running.limits import ExceededError, Limited, OurError
from autograder.source.moved import FORMER
from autograder.source.syntax import PACKAGE

PARTS = ("agents", "critics", "infrastructure", "policies")
READING = 15.0, 2**29  # seconds and bytes that reading one submission may take, and its runs again
NO_SUBMISSIONS = (METADATA, ".DS_Store", "Thumbs.db", "__MACOSX")
IGNORED = ("__MACOSX", "__pycache__", ".git", ".venv", "venv", "site-packages")


@dataclass(frozen=True)
class Found:
    """One submission."""

    source: str
    """Its path below the folder of submissions."""
    sender: Sender
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Python files, by path within `cs285`."""
    runs: Mapping[str, str] = field(default_factory=dict)
    """Files of training runs: path from the run's folder on -> hash."""
    place: Path | None = None
    """Where the runs are, in an archive or a folder."""
    problem: str | None = None
    """Why there is nothing to judge, in one line."""
    remark: str | None = None
    """Why its runs are not judged although there are some, in one line."""

    @property
    def digest(self) -> str | None:
        """A hash of the files; None if there are none."""
        runs = {f"data/{path}": of_file.encode() for path, of_file in self.runs.items()}
        return digest_of({**self.files, **runs}) if self.problem is None else None


def digest_of(files: Mapping[str, bytes]) -> str:
    """Returns a hash of files, names and contents."""
    total = hashlib.sha256()
    for path, data in sorted(files.items()):
        total.update(f"{len(path.encode())}:{path}:{len(data)}:".encode() + data)
    return total.hexdigest()


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
    entries = sorted(visible(folder))
    groups = canvas_groups(entries)
    in_groups = {entry for group in groups.values() for entry in group}
    with contextlib.closing(Limited(*READING)) as limited:
        reader = Reader(folder, handout, runs, limited)
        found = [reader.read(sender, group) for sender, group in groups.items()]
        for entry in entries:
            if is_submission(entry) and entry not in in_groups:
                found += reader.read_for_all(entry, senders.get(entry.name))
    return list(distinguished(found))


def skipped(folder: Path) -> list[str]:
    """Returns the names of what lies among submissions and is not taken for one."""
    folder = export_within(folder)
    entries = list(folder.iterdir())
    taken = {entry for group in canvas_groups(entries).values() for entry in group}
    left = (e for e in entries if e not in taken and e.name not in NO_SUBMISSIONS)
    return sorted(plain_name(entry.name) for entry in left if not is_submission(entry))


def is_submission(entry: Path) -> bool:
    """Returns whether a folder or archive is taken for a submission, by its name and kind."""
    if entry.name.startswith(HIDDEN):
        return False
    return is_archive(entry) or entry.is_dir() or entry.is_symlink()


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


def stem(path: Path) -> str:
    """Returns a file's name without an archive's ending."""
    name = path.name
    for ending in ARCHIVES:
        if name.lower().endswith(ending):
            return plain_name(name[: -len(ending)])
    return plain_name(name)


@dataclass(frozen=True)
class Reader:
    """Reads submissions in a process with limits."""

    folder: Path
    handout: Sequence[str]
    runs: bool
    limited: Limited

    def read(self, sender: Sender, group: Sequence[Path]) -> Found:
        """Reads the entries that make up one submission; of several archives the last."""
        archives = [entry for entry in group if is_archive(entry)]
        group = archives[-1:] or group
        source = plain_name(str(group[-1].relative_to(self.folder)))
        try:
            files: dict[str, bytes] = {}
            for entry in group:
                files |= self._sources(entry)
            found = Found(source, sender, package_files(files, self.handout))
        except UnreadableError as error:
            return Found(source, sender, problem=str(error))
        except OSError as error:
            return Found(source, sender, problem=f"it cannot be read: {error.strerror or error}")
        return self._with_runs(found, group[-1]) if self.runs else found

    def read_for_all(self, entry: Path, senders: Sequence[Sender] | None) -> list[Found]:
        """Reads an entry once, for each of its senders; without any, for who is called so."""
        first, *others = senders or [Sender(stem(entry))]
        read = self.read(first, [entry])
        found = [read]
        for sender in others:  # the rest of a group
            source = f"{read.source} [{sender.student}]"
            found.append(replace(read, sender=sender, source=source))
        return found

    def _sources(self, entry: Path) -> dict[str, bytes]:
        """Reads Python files, by path."""
        if entry.is_symlink():
            raise UnreadableError("it is a link; hand in the folder itself")
        read = self._limited(entry, False)
        files = {path: base64.b64decode(text) for path, text in read.items()}
        if is_archive(entry) or entry.is_dir():
            return files
        return {original_name(entry.name): data for data in files.values()}

    def _limited(self, place: Path, runs: bool) -> dict[str, str]:
        """Reads a folder or archive.

        Raises:
            UnreadableError: If it is damaged, or there is too much of it.
        """
        try:
            found = self.limited.do(plainly_read, place, runs)
        except ExceededError as error:
            bounds = f"{self.limited.seconds:g} s and {self.limited.memory >> 20} MB"
            raise UnreadableError(f"it cannot be read within {bounds}") from error
        except OurError as error:
            raise UnreadableError(f"it cannot be read: {one_line(str(error))}") from error
        if "unreadable" in found:
            raise UnreadableError(found["unreadable"])
        read: dict[str, str] = found["read"]
        return read

    def _with_runs(self, found: Found, place: Path) -> Found:
        """Returns a submission with its runs; if these are unreadable, its code counts alone."""
        try:
            hashes = self._limited(place, True)
        except UnreadableError as error:
            return replace(found, remark=f"its training runs are not judged: {error}")
        return replace(found, runs=hashes, place=place) if hashes else found


def package_files(files: Mapping[str, bytes], handout: Sequence[str]) -> dict[str, bytes]:
    """Returns the files of the `cs285` folder among those handed in, by path within it.

    The folder is the one with most of the handout's files at their places. Where there is none,
    single files of the handout's are put where they belong, by their names.

    Raises:
        UnreadableError: If there is nothing of the kind.
    """
    kept = {path: data for path, data in sorted(files.items()) if not ignored(path)}
    wanted = {*handout, *(FORMER[path] for path in handout if path in FORMER)}
    scores = Counter(top for path in kept for top in tops(path) if path[len(top) :] in wanted)
    if not scores:
        return single_files(kept, handout)
    best = min(scores, key=lambda top: (-scores[top], top.count("/"), top))
    found = below(best, kept)
    for top in filter(is_package, sorted(scores)):
        if any(found.get(path, data) != data for path, data in below(top, kept).items()):
            raise UnreadableError(
                f"there are two different folders, {best} and {top}; hand in one of them"
            )
    return found


def is_package(top: str) -> bool:
    """Returns whether a folder is called `cs285`."""
    return top.endswith(f"{PACKAGE}/")


def below(top: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Returns the files whose paths begin with `top`, by the rest of it."""
    return {path[len(top) :]: data for path, data in files.items() if path.startswith(top)}


def single_files(files: Mapping[str, bytes], handout: Sequence[str]) -> dict[str, bytes]:
    """Returns the files that are called as one of the handout's, at its place.

    Raises:
        UnreadableError: If there are none.
    """
    places = {PurePosixPath(path).name: path for path in handout if "__init__" not in path}
    named = {PurePosixPath(path).name: data for path, data in files.items()}
    placed = {places[name]: data for name, data in named.items() if name in places}
    if not placed:
        raise UnreadableError(f"no {PACKAGE}/ folder, and none of its files, is in it")
    return placed


def tops(path: str) -> Iterator[str]:
    """Yields each way to split a path before one of the package's parts; the first part's text."""
    parts = path.split("/")
    for number, part in enumerate(parts[:-1]):
        if part in PARTS:
            yield "".join(f"{p}/" for p in parts[:number])


def ignored(path: str) -> bool:
    """Returns whether a path is of no interest: what systems and tools leave behind."""
    parts = path.split("/")
    return parts[-1].startswith("._") or any(part in IGNORED for part in parts)

"""Reads folders, .zip and .tar files that nobody has looked into.

Limits hold for what is read, not for what a header promises. Links and devices are skipped.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import stat
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from autograder.base.text import one_line
from autograder.classroom.archive_formats import (
    ARCHIVES,
    PACKING_PROBLEMS,
    UNKNOWN,
    Found,
    Packed,
    UnreadableError,
    opened,
    unknown_archive,
)
from autograder.classroom.mail import MAIL, mail_entries
from autograder.source import PACKAGE

PYTHON = (".py", ".py.txt")
DATA = (".json", ".csv", ".txt", ".npy", ".npz", ".yaml", ".yml", ".toml", ".pt", ".safetensors")
"""Files that code may read."""
MOST_FILES = 20_000  # in an archive or folder, of all kinds
MOST_SOURCES = 500
GRADER = "autograder"
LARGEST = 2**20  # bytes of one Python file
LARGEST_TOGETHER = 8 * 2**20
DATA_TOGETHER = 4 * 2**20
# data/hw3_q1_.../log.csv, whatever is above it
RUN_FILE = re.compile(r"(?:^|/)(hw\d_q[^/]+/(?:config\.json|log\.csv|[^/]+\.safetensors))$")
LARGEST_RUN_FILE = 64 * 2**20
RUNS_TOGETHER = 512 * 2**20
MOST_DEPTH = 12
LONGEST_NAME, LONGEST_PART = 200, 200  # characters; bytes between two slashes
MOST_REMARKS = 5
SYSTEMS_OWN = ("__MACOSX", "__pycache__", ".git", ".venv", "venv", "site-packages")
"""Folders of which nobody hands in anything."""
BUILT = "/build/lib/"
"""In the path of a copy that `pip install .` has left."""


@dataclass(frozen=True)
class Entry:
    """A regular file of a folder or archive."""

    path: str
    """In plain form, see `clean`."""
    size: int
    open: Callable[[], IO[bytes]]


def walk(place: Path, left_out: list[str] | None = None) -> Iterator[Entry]:
    """Yields the files of a folder, an archive, or one file.

    Args:
        place: The folder, archive or file.
        left_out: Gets a line for each thing that is left out: links, and unusable names.

    Raises:
        UnreadableError: If it is damaged, encrypted, or there is too much of it.
        OSError: If it cannot be read.
    """
    paths = set[str]()
    for number, packed in enumerate(_entries(place)):
        if number >= MOST_FILES:
            raise UnreadableError(f"it contains more than {MOST_FILES} files")
        path = clean(packed.name)
        if path and packed.open:
            if path in paths:
                raise UnreadableError(f"two files in it are called {one_line(path)}; hand in one")
            paths.add(path)
            yield Entry(path, packed.size, packed.open)
        elif not packed.folder and left_out is not None and not ignored(packed.name):
            why = "is a link or device" if path else "has a name that cannot be used"
            left_out.append(f"{one_line(packed.name)} {why}, and was left out")


def _entries(place: Path) -> Found:
    """Yields what is in a folder or archive, or a file itself."""
    if not is_archive(place):
        return _folder_entries(place)
    if not place.is_file():
        raise UnreadableError("it is no file")
    if place.name.lower().endswith(MAIL):
        return mail_entries(place, opened)
    return opened(place.name, place) or iter(())


def is_archive(path: Path) -> bool:
    """Returns whether a file's name is an archive's, or an email's."""
    return path.name.lower().endswith((*ARCHIVES, MAIL)) and not path.is_dir()


def clean(name: str) -> str | None:
    """Returns a path from an archive in plain form; None if it leads out, or is no usable name."""
    name = unicodedata.normalize("NFC", name.replace("\\", "/"))
    if name.startswith("/") or ":" in name or not name.isprintable():
        return None
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in parts or len(parts) > MOST_DEPTH or len(name) > LONGEST_NAME:
        return None
    if any(len(os.fsencode(part)) > LONGEST_PART for part in parts):
        return None
    return "/".join(parts)


def ignored(path: str) -> bool:
    """Returns whether a path is of no interest: what systems leave behind, and the grader."""
    parts = path.split("/")
    if GRADER in parts[:-1] and PACKAGE not in parts[parts.index(GRADER) :]:
        return True  # of a whole tree that somebody has handed in
    if BUILT in f"/{path}":
        return True
    return parts[-1].startswith("._") or any(part in SYSTEMS_OWN for part in parts)


def _folder_entries(folder: Path) -> Found:
    if folder.is_file():
        yield Packed(folder.name, folder.stat().st_size, partial(_open_plain, folder))
        return
    for place, folders, files in os.walk(folder):
        inner = Path(place).relative_to(folder)
        for name in [name for name in folders if Path(place, name).is_symlink()]:
            yield Packed(str(inner / name))
        folders[:] = sorted(folders) if len(inner.parts) < MOST_DEPTH else []
        for name in sorted(files):
            file = Path(place, name)
            status = file.lstat()
            opening = partial(_open_plain, file) if stat.S_ISREG(status.st_mode) else None
            yield Packed(str(inner / name), status.st_size, opening)


def _open_plain(file: Path) -> IO[bytes]:
    """Opens a file that was regular a moment ago, and must be so still."""
    fd = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    if stat.S_ISREG(os.fstat(fd).st_mode):
        return os.fdopen(fd, "rb")
    os.close(fd)
    return BytesIO()


@dataclass
class Contents:
    """What was read of a folder or archive."""

    files: dict[str, bytes] = field(default_factory=dict)
    """Python files, and small files of data, by path."""
    remarks: list[str] = field(default_factory=list)
    """A line for each thing that was left out."""


def read_sources(place: Path) -> Contents:
    """Reads the Python files of a folder or archive, and what data such files may read.

    Raises:
        UnreadableError: If it is damaged, encrypted, or there is too much of it.
        OSError: If it cannot be read.
    """
    found, packed = Contents(), list[str]()
    sizes = {PYTHON: 0, DATA: 0}
    for entry in walk(place, found.remarks):
        name = entry.path.lower()
        if name.endswith((*ARCHIVES, *UNKNOWN, MAIL)):
            packed.append(one_line(entry.path))
        kind = PYTHON if name.endswith(PYTHON) else DATA if name.endswith(DATA) else None
        if kind is None or ignored(entry.path) or RUN_FILE.search(entry.path):
            continue
        if kind is DATA and (entry.size > LARGEST or sizes[DATA] > DATA_TOGETHER):
            continue
        data = read_at_most(entry, LARGEST)
        sizes[kind] += len(data)
        found.files[entry.path] = data
        if sizes[PYTHON] > LARGEST_TOGETHER or len(found.files) > MOST_SOURCES:
            raise UnreadableError(
                f"its Python files are more than {LARGEST_TOGETHER >> 20} MB or {MOST_SOURCES}"
            )
    if packed and not any(path.lower().endswith(PYTHON) for path in found.files):
        raise UnreadableError(
            unknown_archive(packed[0])
            or f"it contains an archive in an archive, {packed[0]}; hand in the folder itself"
        )
    found.remarks += [f"{name} is an archive in it, and was not read" for name in packed]
    return found


def read_at_most(entry: Entry, limit: int) -> bytes:
    """Reads one file.

    Raises:
        UnreadableError: If it is larger, or damaged.
    """
    try:
        with entry.open() as stream:
            data = stream.read(limit + 1)
    except PACKING_PROBLEMS as error:
        raise UnreadableError(
            f"{one_line(entry.path)} is damaged: {one_line(str(error))}"
        ) from error
    if len(data) > limit:
        raise UnreadableError(f"{one_line(entry.path)} is larger than {limit >> 20} MB")
    return data


def plainly_read(places: Sequence[Path], runs: bool) -> dict[str, Any]:
    """Reads code, in base64, or the hashes of runs' files; or why not. All is JSON.

    It is for a process with limits: libraries that unpack have weak spots, where a megabyte costs
    them hours.
    """
    try:
        if runs:
            hashes = {path: hashlib.sha256(data).hexdigest() for path, data in _runs(places)}
            return {"read": hashes}
        (place,) = places
        found = read_sources(place)
        files = {path: base64.b64encode(data).decode() for path, data in found.files.items()}
        return {"read": files, "remarks": found.remarks[:MOST_REMARKS]}
    except UnreadableError as error:
        return {"unreadable": str(error)}
    except OSError as error:
        return {"unreadable": f"it cannot be read: {one_line(error.strerror or str(error))}"}


def unpack_runs(places: Sequence[Path], folder: Path) -> None:
    """Writes the files of runs below a folder, which stays as large as `RUNS_TOGETHER` at most.

    Raises:
        UnreadableError: As `read_sources`.
        OSError: If they cannot be read or written.
    """
    for path, data in _runs(places):
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)


def _runs(places: Sequence[Path]) -> Iterator[tuple[str, bytes]]:
    """Yields path, from the run's folder on, and contents of each file of a run."""
    chosen = _newest_copies(places)
    total = 0
    for number, place in enumerate(places):
        for entry in walk(place):
            match = RUN_FILE.search(entry.path)
            if not match or chosen[match[1].partition("/")[0]] != _copy_of(number, entry.path):
                continue
            data = read_at_most(entry, LARGEST_RUN_FILE)
            total += len(data)
            if total > RUNS_TOGETHER:
                raise UnreadableError(f"its runs are more than {RUNS_TOGETHER >> 20} MB")
            yield match[1], data


Copied = tuple[int, str]
"""Where a copy of a run lies: the number of the archive, and its folder there."""


def _newest_copies(places: Sequence[Path]) -> dict[str, Copied]:
    """Returns run folder -> the copy of it that counts: a log only ever grows, so the longest."""
    logs: dict[str, dict[Copied, int]] = {}
    for number, place in enumerate(places):
        for entry in walk(place):
            if match := RUN_FILE.search(entry.path):
                name, _, file = match[1].partition("/")
                copies = logs.setdefault(name, {})
                size = entry.size if file == "log.csv" else 0
                copy = _copy_of(number, entry.path)
                copies[copy] = max(copies.get(copy, 0), size)
    return {
        name: max(copies, key=lambda copy: (copies[copy], -copy[1].count("/"), copy[0]))
        for name, copies in logs.items()
    }


def _copy_of(number: int, path: str) -> Copied:
    return number, path.rpartition("/")[0]

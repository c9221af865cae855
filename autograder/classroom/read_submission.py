"""Reads folders, .zip and .tar files that nobody has looked into.

Limits hold for what is read, not for what a header promises. Links and devices are skipped.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from autograder.base.text import one_line
from autograder.classroom.archive_formats import (
    PACKING_PROBLEMS,
    Found,
    UnreadableError,
    tar_entries,
    zip_entries,
)

ARCHIVES = (".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar", ".zip")
MOST_FILES = 20_000  # in an archive or folder, of all kinds
MOST_SOURCES = 500
LARGEST = 2**20  # bytes of one Python file
LARGEST_TOGETHER = 8 * 2**20
# data/hw3_q1_.../log.csv, whatever is above it
RUN_FILE = re.compile(r"(?:^|/)(hw\d_q[^/]+/(?:config\.json|log\.csv|[^/]+\.safetensors))$")
LARGEST_RUN_FILE = 64 * 2**20
RUNS_TOGETHER = 512 * 2**20
MOST_DEPTH = 12
LONGEST_NAME, LONGEST_PART = 200, 200  # characters; bytes between two slashes


@dataclass(frozen=True)
class Entry:
    """A regular file of a folder or archive."""

    path: str
    """In plain form, see `clean`."""
    open: Callable[[], IO[bytes]]


def walk(place: Path) -> Iterator[Entry]:
    """Yields the files of a folder, an archive, or one file; those with unusable names left out.

    Raises:
        UnreadableError: If it is damaged, encrypted, or there is too much of it.
        OSError: If it cannot be read.
    """
    if is_archive(place):
        if not place.is_file():
            raise UnreadableError("it is no file")
        entries = zip_entries(place) if place.name.lower().endswith(".zip") else tar_entries(place)
    else:
        entries = _folder_entries(place)
    for number, (name, opening) in enumerate(entries):
        if number >= MOST_FILES:
            raise UnreadableError(f"it contains more than {MOST_FILES} files")
        path = clean(name)
        if path and opening:
            yield Entry(path, opening)


def is_archive(path: Path) -> bool:
    """Returns whether a file's name is an archive's."""
    return path.name.lower().endswith(ARCHIVES) and not path.is_dir()


def clean(name: str) -> str | None:
    """Returns a path from an archive in plain form; None if it leads out, or is no usable name."""
    name = name.replace("\\", "/")
    if name.startswith("/") or ":" in name or not name.isprintable():
        return None
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in parts or len(parts) > MOST_DEPTH or len(name) > LONGEST_NAME:
        return None
    if any(len(os.fsencode(part)) > LONGEST_PART for part in parts):
        return None
    return "/".join(parts)


def _folder_entries(folder: Path) -> Found:
    if folder.is_file():
        yield folder.name, partial(_open_plain, folder)
        return
    for place, folders, files in os.walk(folder):
        depth = len(Path(place).relative_to(folder).parts)
        folders[:] = sorted(folders) if depth < MOST_DEPTH else []
        for name in sorted(files):
            file = Path(place, name)
            regular = stat.S_ISREG(file.lstat().st_mode)
            yield str(file.relative_to(folder)), partial(_open_plain, file) if regular else None


def _open_plain(file: Path) -> IO[bytes]:
    """Opens a file that was regular a moment ago, and must be so still."""
    fd = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    if stat.S_ISREG(os.fstat(fd).st_mode):
        return os.fdopen(fd, "rb")
    os.close(fd)
    return BytesIO()


def read_sources(place: Path) -> dict[str, bytes]:
    """Reads the Python files of a folder or archive, by path.

    Raises:
        UnreadableError: If it is damaged, encrypted, or there is too much of it.
        OSError: If it cannot be read.
    """
    files: dict[str, bytes] = {}
    size, nested = 0, False
    for entry in walk(place):
        nested |= entry.path.lower().endswith(ARCHIVES)
        if not entry.path.endswith(".py"):
            continue
        data = read_at_most(entry, LARGEST)
        size += len(data)
        files[entry.path] = data
        if size > LARGEST_TOGETHER or len(files) > MOST_SOURCES:
            raise UnreadableError(
                f"its Python files are more than {LARGEST_TOGETHER >> 20} MB or {MOST_SOURCES}"
            )
    if nested and not files:
        raise UnreadableError("it contains an archive in an archive; hand in the folder itself")
    return files


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


def plainly_read(place: Path, runs: bool) -> dict[str, Any]:
    """Reads Python files, in base64, or the hashes of runs' files; or why not. All is JSON.

    It is for a process with limits: libraries that unpack have weak spots, where a megabyte costs
    them hours.
    """
    try:
        if runs:
            hashes = {path: hashlib.sha256(data).hexdigest() for path, data in _runs(place)}
            return {"read": hashes}
        sources = read_sources(place).items()
        return {"read": {path: base64.b64encode(data).decode() for path, data in sources}}
    except UnreadableError as error:
        return {"unreadable": str(error)}
    except OSError as error:
        return {"unreadable": f"it cannot be read: {one_line(error.strerror or str(error))}"}


def unpack_runs(place: Path, folder: Path) -> None:
    """Writes the files of runs below a folder, which stays as large as `RUNS_TOGETHER` at most.

    Raises:
        UnreadableError: As `read_sources`.
        OSError: If they cannot be read or written.
    """
    for path, data in _runs(place):
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)


def _runs(place: Path) -> Iterator[tuple[str, bytes]]:
    total = 0
    for entry in walk(place):
        match = RUN_FILE.search(entry.path)
        if match:
            data = read_at_most(entry, LARGEST_RUN_FILE)
            total += len(data)
            if total > RUNS_TOGETHER:
                raise UnreadableError(f"its runs are more than {RUNS_TOGETHER >> 20} MB")
            yield match[1], data

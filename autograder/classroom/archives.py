"""Reads folders, .zip and .tar files that nobody has looked into.

Limits hold for what is read, not for what a header promises. Links and devices are passed over.
"""

from __future__ import annotations

import base64
import bz2
import contextlib
import gzip
import hashlib
import lzma
import os
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from io import BytesIO, FileIO
from pathlib import Path
from typing import IO, Any

from autograder.plain import one_line

ARCHIVES = (".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar", ".zip")
MOST_FILES = 20_000  # in an archive or folder, of all kinds
MOST_SOURCES = 500
LARGEST = 2**20  # bytes of one Python file
LARGEST_TOGETHER = 8 * 2**20
MOST_UNPACKED = 2**30  # bytes of a .tar, which must be unpacked to be listed, headers included
TOO_MUCH = f"it unpacks to more than {MOST_UNPACKED >> 30} GB"
LARGEST_DIRECTORY = 8 * 2**20  # bytes of a .zip's list of names, which is read as a whole
# data/hw3_q1_.../log.csv, whatever is above it
RUN_FILE = re.compile(
    r"(?:^|/)(hw\d_q[^/]+/(?:config\.json|log\.csv|events[^/]*|[^/]+\.safetensors))$"
)
LARGEST_RUN_FILE = 64 * 2**20
RUNS_TOGETHER = 512 * 2**20
COMPRESSED: Mapping[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open
}  # fmt: skip
LARGEST_HEADER = 2**20  # bytes of a .tar between two entries: names, times, rights, and padding
MOST_DEPTH = 12
LONGEST_NAME, LONGEST_PART = 200, 200  # characters; bytes between two slashes
PACKING_PROBLEMS = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    ValueError,
    OverflowError,
    MemoryError,
)


class UnreadableError(Exception):
    """What was handed in cannot be judged; one line says why."""


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
        entries = (
            _zip_entries(place) if place.name.lower().endswith(".zip") else _tar_entries(place)
        )
    else:
        entries = _folder_entries(place)
    for number, (name, opening) in enumerate(entries):
        if number >= MOST_FILES:
            raise UnreadableError(f"it holds more than {MOST_FILES} files")
        path = clean(name)
        if path and opening:
            yield Entry(path, opening)


def is_archive(path: Path) -> bool:
    """Tells whether a file's name is an archive's."""
    return path.name.lower().endswith(ARCHIVES) and not path.is_dir()


def clean(name: str) -> str | None:
    """Returns a path from an archive in plain form; None if it leads out, or is no usable name."""
    name = name.replace("\\", "/")
    parts = [part for part in name.split("/") if part not in ("", ".")]
    usable = name.isprintable() and len(name) <= LONGEST_NAME and len(parts) <= MOST_DEPTH
    usable = usable and all(len(os.fsencode(part)) <= LONGEST_PART for part in parts)
    if name.startswith("/") or ".." in parts or not usable or ":" in name:
        return None
    return "/".join(parts)


Found = Iterator[tuple[str, "Callable[[], IO[bytes]] | None"]]
"""Names, and how to open them if they are regular files."""


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


def _zip_entries(file: Path) -> Found:
    try:
        with Frugal(file, "rb") as stream, zipfile.ZipFile(stream) as archive:
            for entry in archive.infolist():
                kind = stat.S_IFMT(entry.external_attr >> 16)
                regular = not entry.is_dir() and kind in (0, stat.S_IFREG)
                yield entry.filename, partial(_open_zipped, archive, entry) if regular else None
    except PACKING_PROBLEMS as error:
        raise UnreadableError(f"the .zip is damaged: {one_line(str(error))}") from error


class Frugal(FileIO):
    """A file of which nobody reads much at once: a list of names becomes an object for each."""

    def read(self, size: int | None = -1) -> bytes:
        """Reads.

        Raises:
            UnreadableError: If that is more than a .zip's directory may have.
        """
        if size is not None and size > LARGEST_DIRECTORY:
            raise UnreadableError("the list of what is in the .zip is far too large")
        return super().read(-1 if size is None else size) or b""


def _open_zipped(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> IO[bytes]:
    if entry.flag_bits & 1:
        raise UnreadableError("the .zip is encrypted; hand it in without a password")
    return archive.open(entry)


def _tar_entries(file: Path) -> Found:
    unpacked = 0
    try:
        # As a stream, front to back: so a bomb is only ever unpacked as far as it is allowed.
        with _decompressed(file) as plain, tarfile.open(fileobj=plain, mode="r|") as archive:
            for entry in archive:
                # Or every header stays, a megabyte each; the stubs do not know the list.
                archive.members.clear()  # type: ignore[attr-defined]
                unpacked += max(entry.size, 0)
                if unpacked > MOST_UNPACKED:
                    raise UnreadableError(TOO_MUCH)
                plain.allowed = entry.size + LARGEST_HEADER  # up to the next one's end
                yield entry.name, partial(_open_tarred, archive, entry) if entry.isreg() else None
    except PACKING_PROBLEMS as error:
        raise UnreadableError(f"the archive is damaged: {one_line(str(error))}") from error


class Bounded(BytesIO):
    """A stream that gives no more than is allowed, which whoever reads on raises."""

    def __init__(self, stream: IO[bytes]) -> None:
        """Reads from `stream`."""
        super().__init__()
        self.stream, self.allowed, self.left = stream, LARGEST_HEADER, MOST_UNPACKED

    def read(self, size: int | None = -1) -> bytes:
        """Reads.

        Raises:
            UnreadableError: If that is more than is allowed.
            tarfile.ReadError: If what is compressed is damaged.
        """
        try:
            data = self.stream.read(-1 if size is None else size)
        except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
            if getattr(error, "errno", None) is not None:
                raise  # the disk's fault
            raise tarfile.ReadError(str(error)) from error
        self.allowed -= len(data)
        self.left -= len(data)
        if self.allowed < 0:
            raise UnreadableError("the archive is damaged: a header in it is far too large")
        if self.left < 0:
            raise UnreadableError(TOO_MUCH)
        return data


@contextlib.contextmanager
def _decompressed(file: Path) -> Iterator[Bounded]:
    """Opens what a compressed file holds, whatever its name says."""
    with file.open("rb") as raw:
        begin = raw.read(6)
    opening = next((o for magic, o in COMPRESSED.items() if begin.startswith(magic)), open)
    with opening(file, "rb") as stream:
        yield Bounded(stream)


def _open_tarred(archive: tarfile.TarFile, entry: tarfile.TarInfo) -> IO[bytes]:
    return archive.extractfile(entry) or BytesIO()


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
        raise UnreadableError("it holds an archive in an archive; hand in the folder itself")
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
    """Reads Python files, in base64, or the hashes of runs' files; or says why not: as JSON has it.

    This is how it is read in a process with limits: libraries that unpack have weak spots, where a
    megabyte costs them hours.
    """
    try:
        if runs:
            return {"read": run_files(place)}
        sources = read_sources(place).items()
        return {"read": {path: base64.b64encode(data).decode() for path, data in sources}}
    except UnreadableError as error:
        return {"unreadable": str(error)}
    except OSError as error:
        return {"unreadable": f"it cannot be read: {one_line(error.strerror or str(error))}"}


def run_files(place: Path) -> dict[str, str]:
    """Returns the files of runs in a folder or archive: path from the run's folder on -> hash.

    Raises:
        UnreadableError: As `read_sources`.
        OSError: If it cannot be read.
    """
    return {path: hashlib.sha256(data).hexdigest() for path, data in _runs(place)}


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

"""Reads the Python files of folders, .zip and .tar files that nobody has looked into.

Limits hold for what is read, not for what a header promises.
"""

from __future__ import annotations

import lzma
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

ARCHIVES = (".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar", ".zip")
MOST_FILES = 20_000  # in an archive or folder, of all kinds
MOST_SOURCES = 500
LARGEST = 2**20  # bytes of one Python file
LARGEST_TOGETHER = 8 * 2**20
MOST_UNPACKED = 2**30  # bytes of a .tar, which must be unpacked to be listed
MOST_DEPTH = 12
LONGEST_NAME = 200
PACKING_PROBLEMS = (zlib.error, lzma.LZMAError, EOFError, ValueError, OverflowError)
ZIP_PROBLEMS = (zipfile.BadZipFile, NotImplementedError, RuntimeError, *PACKING_PROBLEMS)
TAR_PROBLEMS = (tarfile.TarError, *PACKING_PROBLEMS)


class UnreadableError(Exception):
    """What was handed in cannot be judged; one line says why."""


class Sources:
    """The Python files that are read, within limits."""

    def __init__(self) -> None:
        """Has none yet."""
        self.files: dict[str, bytes] = {}
        self.seen = 0
        self.size = 0

    def wants(self, name: str) -> str | None:
        """Returns where a file of this name goes; None if it is not to be read.

        Raises:
            UnreadableError: If there are too many files.
        """
        self.seen += 1
        if self.seen > MOST_FILES:
            raise UnreadableError(f"it holds more than {MOST_FILES} files")
        path = clean(name)
        return path if path and path.endswith(".py") else None

    def add(self, path: str, stream: IO[bytes]) -> None:
        """Reads one file.

        Raises:
            UnreadableError: If it, or all together, are too large.
        """
        data = stream.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise UnreadableError(f"{shown(path)} is larger than {LARGEST >> 20} MB")
        self.size += len(data)
        self.files[path] = data
        if self.size > LARGEST_TOGETHER or len(self.files) > MOST_SOURCES:
            raise UnreadableError(
                f"its Python files are more than {LARGEST_TOGETHER >> 20} MB or {MOST_SOURCES}"
            )


def clean(name: str) -> str | None:
    """Returns a path from an archive in plain form; None if it leads out, or is no usable name."""
    name = name.replace("\\", "/")
    parts = [part for part in name.split("/") if part not in ("", ".")]
    usable = name.isprintable() and len(name) <= LONGEST_NAME and len(parts) <= MOST_DEPTH
    if name.startswith("/") or ".." in parts or not usable or ":" in name:
        return None
    return "/".join(parts)


def shown(text: str) -> str:
    """Returns a hostile name as one short line."""
    return "".join(c if c.isprintable() else "?" for c in text)[:80]


def read_folder(folder: Path) -> dict[str, bytes]:
    """Reads the Python files of a folder, or one file; follows no link, opens no device.

    Raises:
        UnreadableError: If there is too much of it.
        OSError: If it cannot be read.
    """
    sources = Sources()
    for file in _walk(folder):
        name = str(file.relative_to(folder)) if file != folder else file.name
        path = sources.wants(name)
        if path is None:
            continue
        fd = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(fd, "rb") as stream:
            if stat.S_ISREG(os.fstat(fd).st_mode):
                sources.add(path, stream)
    return sources.files


def _walk(folder: Path) -> Iterator[Path]:
    """Yields the regular files below a folder, in order, without following links."""
    if folder.is_file():
        yield folder
        return
    for place, folders, files in os.walk(folder):
        depth = len(Path(place).relative_to(folder).parts)
        folders[:] = sorted(folders) if depth < MOST_DEPTH else []
        for name in sorted(files):
            file = Path(place, name)
            if stat.S_ISREG(file.lstat().st_mode):
                yield file


def read_archive(file: Path) -> dict[str, bytes]:
    """Reads the Python files of an archive.

    Raises:
        UnreadableError: If it is damaged, encrypted, or there is too much of it.
        OSError: If it cannot be read.
    """
    if not file.is_file():
        raise UnreadableError("it is no file")
    return _read_zip(file) if file.name.lower().endswith(".zip") else _read_tar(file)


def _read_zip(file: Path) -> dict[str, bytes]:
    sources = Sources()
    nested = False
    try:
        with zipfile.ZipFile(file) as archive:
            for entry in archive.infolist():
                nested |= entry.filename.lower().endswith(ARCHIVES)
                path = sources.wants(entry.filename)
                kind = stat.S_IFMT(entry.external_attr >> 16)
                if path is None or entry.is_dir() or kind not in (0, stat.S_IFREG):
                    continue
                if entry.flag_bits & 1:
                    raise UnreadableError("the .zip is encrypted; hand it in without a password")
                with archive.open(entry) as stream:
                    sources.add(path, stream)
    except ZIP_PROBLEMS as error:
        raise UnreadableError(f"the .zip is damaged: {shown(str(error))}") from error
    if nested and not sources.files:
        raise UnreadableError("it holds an archive in an archive; hand in the folder itself")
    return sources.files


def _read_tar(file: Path) -> dict[str, bytes]:
    sources = Sources()
    unpacked = 0
    try:
        # As a stream, front to back: so a bomb is only ever unpacked as far as it is allowed.
        with tarfile.open(file, "r|*") as archive:
            for entry in archive:
                unpacked += max(entry.size, 0)
                if unpacked > MOST_UNPACKED:
                    raise UnreadableError(f"it unpacks to more than {MOST_UNPACKED >> 30} GB")
                path = sources.wants(entry.name)
                stream = archive.extractfile(entry) if entry.isreg() else None
                if path is not None and stream is not None:
                    sources.add(path, stream)
    except TAR_PROBLEMS as error:
        raise UnreadableError(f"the archive is damaged: {shown(str(error))}") from error
    return sources.files

"""Lists and opens what is in .zip and .tar files, of which nobody reads more than is allowed.

Limits hold for what is read, not for what a header promises.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from io import BytesIO, FileIO
from pathlib import Path
from typing import IO, Any

from autograder.base.text import one_line

MOST_UNPACKED = 2**30  # bytes of a .tar, which must be unpacked to be listed, headers included
TOO_MUCH = f"it unpacks to more than {MOST_UNPACKED >> 30} GB"
LARGEST_DIRECTORY = 8 * 2**20  # bytes of a .zip's list of names, which is read as a whole
COMPRESSED: Mapping[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open
}  # fmt: skip
LARGEST_HEADER = 2**20  # bytes of a .tar between two entries: names, times, rights, and padding
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
    """A submission cannot be judged; one line says why."""


Found = Iterator[tuple[str, "Callable[[], IO[bytes]] | None"]]
"""Names, and how to open them if they are regular files."""


def zip_entries(file: Path) -> Found:
    """Yields what is in a .zip.

    Raises:
        UnreadableError: If it is damaged or encrypted.
    """
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


def tar_entries(file: Path) -> Found:
    """Yields what is in a .tar, compressed or not.

    Raises:
        UnreadableError: If it is damaged, or there is too much of it.
    """
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
    """Opens what is in a compressed file, whatever its name says."""
    with file.open("rb") as raw:
        begin = raw.read(6)
    opening = next((o for magic, o in COMPRESSED.items() if begin.startswith(magic)), open)
    with opening(file, "rb") as stream:
        yield Bounded(stream)


def _open_tarred(archive: tarfile.TarFile, entry: tarfile.TarInfo) -> IO[bytes]:
    return archive.extractfile(entry) or BytesIO()

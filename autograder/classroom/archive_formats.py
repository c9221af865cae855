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
from dataclasses import dataclass
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
LONGEST_END = 22 + 2**16  # bytes behind a .zip's list of names: numbers, and a comment
LOCAL = struct.Struct("<4s5H3L2H")  # what stands before an entry's data
STREAMED, LONGEST_DESCRIPTOR = 8, 24  # a flag; bytes behind the data
PIECE = 2**20
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
ARCHIVES = (".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar", ".zip")
UNKNOWN = (".7z", ".rar", ".zipx", ".tar.zst", ".gz", ".bz2", ".xz", ".dmg")
"""Archives that nobody here can read."""


class UnreadableError(Exception):
    """A submission cannot be judged; one line says why."""


@dataclass(frozen=True)
class Packed:
    """One name in an archive or folder."""

    name: str
    size: int = 0
    """Bytes, by its own word."""
    open: Callable[[], IO[bytes]] | None = None
    """Opens it if it is a regular file."""
    folder: bool = False


Found = Iterator[Packed]


def zip_entries(file: Path) -> Found:
    """Yields what is in a .zip.

    Raises:
        UnreadableError: If it is damaged or encrypted. What its two lists of names say of an entry
            must agree, or some damage would leave a file out without a word.
    """
    try:
        with Frugal(file, "rb") as stream, zipfile.ZipFile(stream) as archive:
            check_directory(stream, archive)
            stream.frugal = False  # what follows is read in pieces, by whoever has a limit for it
            ends = ends_of(archive)
            for entry in archive.infolist():
                check_entry(stream, entry, ends[entry.header_offset])
                if not entry.flag_bits & 1:
                    archive.open(entry).close()  # compares its name with that before its data
                kind = stat.S_IFMT(entry.external_attr >> 16)
                regular = not entry.is_dir() and kind in (0, stat.S_IFREG)
                opening = partial(_open_zipped, archive, entry) if regular else None
                yield Packed(entry.filename, entry.file_size, opening, entry.is_dir())
    except PACKING_PROBLEMS as error:
        raise UnreadableError(f"the .zip is damaged: {one_line(str(error))}") from error


def check_directory(stream: IO[bytes], archive: zipfile.ZipFile) -> None:
    """Compares the list of names with what the end of the file says of it.

    Raises:
        zipfile.BadZipFile: If they differ.
    """
    size = stream.seek(0, 2)
    stream.seek(max(0, size - LONGEST_END))
    end = stream.read(LONGEST_END)
    start = end.rfind(b"PK\5\6")
    if start < 0 or len(end) < start + 22:
        raise zipfile.BadZipFile("its end is missing")
    *_, number, length, offset, _ = struct.unpack("<4H2LH", end[start + 4 : start + 22])
    if 0xFFFF in (number,) or 0xFFFFFFFF in (length, offset):
        return  # the numbers are elsewhere, as in all archives of more than 65,535 names
    if number != len(archive.infolist()):
        raise zipfile.BadZipFile(f"it lists {len(archive.infolist())} of {number} files")
    if offset != archive.start_dir or offset + length != size - len(end) + start:
        raise zipfile.BadZipFile("bytes of it are missing, or too many")


def ends_of(archive: zipfile.ZipFile) -> dict[int, int]:
    """Returns where the next entry begins, or the list of names, by where an entry begins."""
    begins = sorted({entry.header_offset for entry in archive.infolist()})
    return dict(zip(begins, [*begins[1:], archive.start_dir], strict=False))


def check_entry(stream: IO[bytes], entry: zipfile.ZipInfo, end: int) -> None:
    """Compares what the list says of an entry's data with what stands before and behind them.

    Raises:
        zipfile.BadZipFile: If they differ: an empty file needs no checksum, and passes any other.
    """
    stream.seek(entry.header_offset)
    head = stream.read(LOCAL.size)
    if len(head) < LOCAL.size:
        raise zipfile.BadZipFile("it is cut off")
    *_, flags, _, _, _, crc, packed, size, name, extra = LOCAL.unpack(head)
    behind = end - entry.header_offset - LOCAL.size - name - extra - entry.compress_size
    if flags & STREAMED:  # then they stand behind the data
        right = 0 <= behind <= LONGEST_DESCRIPTOR
    else:
        listed = (entry.CRC, entry.compress_size, entry.file_size)
        right = (crc, packed, size) == listed or 0xFFFFFFFF in (packed, size)
    if not right:
        raise zipfile.BadZipFile(f"its lists differ in the size of {entry.filename}")


class Frugal(FileIO):
    """A file of which nobody reads much at once: a list of names becomes an object for each."""

    frugal = True
    """Whether such a list is being read."""

    def read(self, size: int | None = -1) -> bytes:
        """Reads.

        Raises:
            UnreadableError: If that is more than a .zip's directory may have.
        """
        if self.frugal and size is not None and size > LARGEST_DIRECTORY:
            raise UnreadableError("the list of what is in the .zip is far too large")
        return super().read(-1 if size is None else size) or b""


def _open_zipped(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> IO[bytes]:
    if entry.flag_bits & 1:
        raise UnreadableError("the .zip is encrypted; hand it in without a password")
    return archive.open(entry)


class WholeHeader(tarfile.TarInfo):
    """A header that ends the reading if it is damaged: Python takes it for the archive's end."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> WholeHeader:
        """Reads a header.

        Raises:
            UnreadableError: If it is none, or is cut off.
            tarfile.HeaderError: If it is the mark of the end.
        """
        try:
            return super().frombuf(buf, encoding, errors)
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined]  # the stubs lack it
            raise
        except tarfile.HeaderError as error:
            what = "it is cut off" if len(buf) < tarfile.BLOCKSIZE else one_line(str(error))
            raise UnreadableError(f"the archive is damaged: {what}") from error


def tar_entries(file: Path) -> Found:
    """Yields what is in a .tar, compressed or not.

    Raises:
        UnreadableError: If it is damaged, or there is too much of it.
    """
    unpacked = 0
    try:
        # As a stream, front to back: so a bomb is only ever unpacked as far as it is allowed.
        with (
            _decompressed(file) as plain,
            tarfile.open(fileobj=plain, mode="r|", tarinfo=WholeHeader) as archive,
        ):
            for entry in archive:
                # Or every header stays, a megabyte each; the stubs do not know the list.
                archive.members.clear()  # type: ignore[attr-defined]
                unpacked += max(entry.size, 0)
                if unpacked > MOST_UNPACKED:
                    raise UnreadableError(TOO_MUCH)
                plain.allowed = entry.size + LARGEST_HEADER  # up to the next one's end
                opening = partial(_open_tarred, archive, entry) if entry.isreg() else None
                yield Packed(entry.name, entry.size, opening, entry.isdir())
            read_to_the_end(archive, plain)
    except PACKING_PROBLEMS as error:
        raise UnreadableError(f"the archive is damaged: {one_line(str(error))}") from error


def read_to_the_end(archive: tarfile.TarFile, plain: Bounded) -> None:
    """Reads what is behind the last file: nothing but zeros, and the checksum of what was packed.

    Raises:
        tarfile.ReadError: If it is anything else, or the checksum is wrong.
    """
    stream: Any = archive.fileobj  # buffers what it has read of `plain`
    plain.allowed = plain.left
    while data := stream.read(PIECE):
        if data.strip(b"\0"):
            raise tarfile.ReadError("there is more behind its end")


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


def opened(name: str, file: Path) -> Found | None:
    """Returns what is in an archive that was called so; None if that is no archive's name."""
    if not name.lower().endswith(ARCHIVES):
        return None
    return zip_entries(file) if name.lower().endswith(".zip") else tar_entries(file)


def unknown_archive(name: str) -> str:
    """Returns why an archive cannot be read, for whoever handed it in; "" if it is of no such kind.

    A name such as hw3.tar.gz ends in .gz too, and can be read.
    """
    name = name.lower()
    if name.endswith(ARCHIVES):
        return ""
    kind = next((ending for ending in UNKNOWN if name.endswith(ending)), "")
    return f"a {kind} archive cannot be read here: a .zip can" if kind else ""

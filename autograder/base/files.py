"""Files, while others read and write the same: read or not there, written whole or not at all."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ALL_TIMES = (1980, 1, 1, 0, 0, 0)  # the same content makes the same zip
PLAIN, PROGRAM = 0o100644, 0o100755


def read_data(name: str) -> Any:
    """Returns the content of a JSON file of the grader, by its path below `autograder`."""
    return json.loads((Path(__file__).parent.parent / name).read_text(encoding="utf-8"))


def read_if_there(file: Path) -> bytes | None:
    """Returns a file's bytes, or None if there is none: an editor may remove it meanwhile."""
    try:
        return file.read_bytes()
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return None


def python_files(folder: Path) -> Iterator[Path]:
    """Yields the Python files of a folder at any depth; one that vanishes meanwhile has none."""
    for above, _, names in os.walk(folder):
        yield from (Path(above, name) for name in sorted(names) if name.endswith(".py"))


def write_whole(file: Path, text: str) -> None:
    """Writes a text file; what was there stays until the new one is complete.

    Raises:
        OSError: If it cannot be written.
    """
    with replacing(file) as part, part.open("w", encoding="utf-8", newline="") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())


@contextmanager
def replacing(file: Path) -> Iterator[Path]:
    """Yields a path beside a file; what is written there replaces the file at the end."""
    part = file.with_name(file.name + ".part")
    try:
        yield part
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)


def write_zip(file: Path, files: Mapping[str, str | bytes], programs: Collection[str] = ()) -> None:
    """Writes a zip of files, by path; those of `programs` can be run.

    Raises:
        OSError: If it cannot be written.
    """
    with replacing(file) as part, zipfile.ZipFile(part, "w") as archive:
        for path, content in sorted(files.items()):
            entry = zipfile.ZipInfo(path, ALL_TIMES)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, whose permissions these are
            entry.external_attr = (PROGRAM if path in programs else PLAIN) << 16
            archive.writestr(entry, content)

"""Reads a student's files in Gradescope's folders, with care, and runs none of them."""

from __future__ import annotations

import json
import os
import stat
from datetime import datetime, timedelta
from pathlib import Path

from autograder.source.submission import LARGE_FILE, find_package
from autograder.source.syntax import PACKAGE

MOST_FILES = 1000
MOST_ENTRIES = 20_000


class UploadError(Exception):
    """The upload cannot be judged; one line explains why, and what to do."""


def read_upload(folder: Path) -> tuple[dict[str, bytes], list[str]]:
    """Reads a submission's Python files.

    Links are never followed, and nothing but plain files is opened.

    Returns:
        The files by path within `cs285`, and a line for each that was left out.

    Raises:
        UploadError: If there is no `cs285` folder, or far too much in it.
    """
    try:
        package = find_package(folder)
    except OSError:
        raise UploadError(
            f"No {PACKAGE}/ folder was found in what you handed in. Hand in a zip file of your "
            f"{PACKAGE}/ folder, with agents/, critics/ and policies/ in it."
        ) from None
    within = package.resolve().is_relative_to(folder.resolve())
    if package.resolve() != package.absolute() and not within:
        raise UploadError(f"{PACKAGE} is a link that leads out of what you handed in.")
    return _python_files(package)


def _python_files(package: Path) -> tuple[dict[str, bytes], list[str]]:
    """Reads the Python files of a folder; returns what it leaves out as well."""
    files: dict[str, bytes] = {}
    left_out: list[str] = []
    entries = 0
    for place, folders, names in os.walk(package):
        folders.sort()
        entries += len(names) + len(folders)
        if entries > MOST_ENTRIES:
            raise UploadError(f"There are more than {MOST_ENTRIES} files in {PACKAGE}/.")
        for name in sorted(names):
            if not name.endswith(".py"):
                continue
            file = Path(place, name)
            path = file.relative_to(package).as_posix()
            data, problem = _read(file)
            if problem or len(files) == MOST_FILES:
                left_out.append(f"{path} was not read: {problem or 'there are too many files'}.")
            else:
                files[path] = data
    return files, left_out


def _read(file: Path) -> tuple[bytes, str]:
    """Reads a file; returns its bytes, or why not."""
    try:
        status = file.lstat()
        if not stat.S_ISREG(status.st_mode):
            return b"", "it is a link, or no plain file"
        if status.st_size > LARGE_FILE:
            return b"", "it is larger than 1 MiB"
        return file.read_bytes(), ""
    except OSError as error:
        return b"", error.strerror or "it cannot be opened"


def lateness(metadata: Path) -> str:
    """Returns a line about when the submission was received; empty if that is not known."""
    try:
        found = json.loads(metadata.read_text(encoding="utf-8"))
        received = datetime.fromisoformat(found["created_at"])
        late = received - datetime.fromisoformat(found["assignment"]["due_date"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    if late <= timedelta(0):
        return "Received in time."
    return f"Received {_in_words(late)} after the due date. Nothing is deducted for that here."


def _in_words(time: timedelta) -> str:
    """Returns a time as days, hours and minutes, rounded up."""
    minutes = -(-int(time.total_seconds()) // 60) or 1
    parts = (minutes // 1440, "day"), (minutes // 60 % 24, "hour"), (minutes % 60, "minute")
    return ", ".join(f"{number} {unit}{'s' * (number > 1)}" for number, unit in parts if number)

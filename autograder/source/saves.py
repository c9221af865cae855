"""Notices when a student's files are saved, and waits until they are whole."""

from __future__ import annotations

import ast
import contextlib
import time
from pathlib import Path

from autograder.base.files import python_files, read_if_there
from autograder.source.submission import read_source

POLL = 0.1  # seconds between looks at the files
QUIET = 0.1  # seconds without a change, after which files that are Python are taken as they are
PATIENCE = 1.0  # the same for files that are not: somebody may still be writing
Stamps = set[tuple[str, int, int]]


def stamps(package: Path) -> Stamps:
    """Returns path, time of the last change and size of each of the student's files."""
    found = set()
    for file in python_files(package):
        with contextlib.suppress(OSError):  # it is being saved at this moment
            status = file.stat()
            path = file.relative_to(package).as_posix()
            found.add((path, status.st_mtime_ns, status.st_size))
    return found


def paths(changed: Stamps) -> set[str]:
    """Returns the paths of changed files."""
    return {path for path, _, _ in changed}


def await_save(package: Path, before: Stamps) -> set[str]:
    """Waits until something is saved, and no file of it is half-written; returns the paths.

    An editor may empty a file, or take it away, before it writes. What is no Python, or nothing at
    all, may be on its way. It is taken as it is if nobody writes for a while.
    """
    while stamps(package) == before:
        time.sleep(POLL)
    last, since = stamps(package), time.monotonic()
    while True:
        time.sleep(QUIET / 2)
        now = stamps(package)
        if now != last:
            last, since = now, time.monotonic()
        saved = paths(last ^ before)
        wanted = QUIET if all(is_whole(package / path) for path in saved) else PATIENCE
        if time.monotonic() - since >= wanted:
            return saved


def is_whole(file: Path) -> bool:
    """Returns whether a file has content that is valid Python."""
    data = read_if_there(file)
    if not data or not data.strip():
        return False
    try:
        ast.parse(read_source(data))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True

"""Keeps the verdicts that `check` showed last, in a small file of the student's own tree.

Each verdict has a hash of the code that it is about. So a reader sees whether it is older than the
files, whenever these were written or copied.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from autograder.base.files import python_files, read_if_there, write_whole
from autograder.base.results import Verdict

FOLDER = ".autograder"


@dataclass(frozen=True)
class Shown:
    """A verdict, when it was shown, and on which code."""

    verdict: str
    points: int
    max_points: int
    time: str
    """Local time, such as "2026-11-26 17:05"."""
    code: str
    """The hash of the whole package."""


def hash_of(package: Path) -> str:
    """Returns a hash of all Python files of a `cs285` folder, names and contents."""
    total = hashlib.sha256()
    for file in sorted(python_files(package)):
        data = read_if_there(file)
        if data is not None:
            path = file.relative_to(package).as_posix()
            total.update(f"{path}:{hashlib.sha256(data).hexdigest()}\n".encode())
    return total.hexdigest()


def file_of(homework: str, package: Path) -> Path:
    """Returns where the verdicts on a tree are kept: beside its `cs285`."""
    return package.parent / FOLDER / f"{homework}.json"


def keep(homework: str, package: Path, code: str, verdicts: Iterable[Verdict]) -> None:
    """Keeps verdicts with points; those on other checks stay. A tree may be closed to writers.

    Args:
        homework: Such as "hw3".
        package: The student's `cs285` folder.
        code: Its hash before it was judged.
        verdicts: What was shown.
    """
    known = read(homework, package)
    now = datetime.now().strftime("%Y-%m-%d %H:%M")
    for one in verdicts:
        if one.max_points:
            known[one.id] = Shown(one.verdict, one.points, one.max_points, now, code)
    file = file_of(homework, package)
    with contextlib.suppress(OSError):
        file.parent.mkdir(exist_ok=True)
        write_whole(file, json.dumps({id: asdict(one) for id, one in known.items()}, indent=1))


def read(homework: str, package: Path) -> dict[str, Shown]:
    """Returns the verdicts that were shown last, by check; none from a broken file."""
    data = read_if_there(file_of(homework, package))
    try:
        return {id: Shown(**one) for id, one in json.loads(data or b"{}").items()}
    except (ValueError, TypeError, AttributeError):
        return {}

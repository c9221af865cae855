"""What `check` is told to judge: a folder or an archive, read as `grade` reads those of a class."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from autograder.base.text import UsageError
from autograder.classroom.collect import read_one
from autograder.source import PACKAGE
from autograder.source.submission import find_package, given_texts


@contextmanager
def opened(place: Path, homework: str, watched: bool) -> Iterator[tuple[Path, list[str]]]:
    """Reads what was handed in as `grade` does; yields its `cs285` folder, and remarks.

    A folder that is watched is judged where it is, and what is missing in it is the handout's.

    Raises:
        UsageError: If there is nothing to judge.
    """
    if watched:
        try:
            yield find_package(place), []
        except OSError as error:
            raise UsageError(f"--submission: {error}; it takes a folder with cs285/") from error
        return
    if not place.exists():
        raise UsageError(f"--submission {place}: no such file or folder")
    found = read_one(place, sorted(given_texts(homework)))
    if found.problem:
        raise UsageError(f"--submission {place}: {found.problem}")
    with TemporaryDirectory(prefix="cs285-") as folder:
        package = Path(folder) / PACKAGE
        package.mkdir()
        for path, data in found.files.items():
            file = package / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        yield package, [*found.remarks, *filter(None, [found.needs])]

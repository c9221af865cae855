"""The solved source that the grader judges by, packaged apart from the tree that is judged.

In a clone, a learner's own code is in `cs285/`. So the reference is an archive of that folder as
its authors left it. `python -m autograder reference` writes it, and a test compares the two.
"""

from __future__ import annotations

import functools
import zipfile
from collections.abc import Mapping
from pathlib import Path

from autograder.base.files import python_files, write_zip
from autograder.base.text import UsageError
from autograder.source.blanks import strip
from autograder.source.syntax import PACKAGE

ROOT = Path(__file__).parent.parent.parent
UPDATE = "differs from the reference: restore it, or run `python -m autograder reference`"
ARCHIVE = Path(__file__).parent / "reference.zip"


def require_clone(command: str, *names: str) -> None:
    """Refuses what this copy of the grader cannot do without a clone of the repository.

    Args:
        command: That was asked for.
        names: Files and folders that it needs, as a clone has them.

    Raises:
        UsageError: If one of them is not there: the grader was installed, or is a handout's.
    """
    for name in names:
        if not (ROOT / name).exists():
            why = f"this is no clone of the repository, which alone can do that: {ROOT} has no"
            raise UsageError(f"{command}: {why} {name}")


@functools.cache
def texts() -> Mapping[str, str]:
    """Returns the solved files of `cs285`, by path within it, sorted.

    Raises:
        FileNotFoundError: If this copy of the grader has no reference, as a handout has none.
    """
    with zipfile.ZipFile(ARCHIVE) as archive:
        return {name: archive.read(name).decode("utf-8") for name in sorted(archive.namelist())}


@functools.cache
def given_out(homework: str = "") -> Mapping[str, str]:
    """Returns the files of `cs285` as they are given out, by path within it.

    Args:
        homework: Blanks of earlier ones are solved; of none, where it is "".
    """
    return {path: strip(text, path, homework) for path, text in texts().items()}


def differences(folder: Path = ROOT / PACKAGE) -> list[str]:
    """Returns the paths, from the top of the checkout, that are not as in the reference; sorted."""
    there, packaged = _read(folder), texts() if ARCHIVE.is_file() else {}
    every = sorted(there.keys() | packaged.keys())
    return [f"{PACKAGE}/{path}" for path in every if there.get(path) != packaged.get(path)]


def update(folder: Path = ROOT / PACKAGE, archive: Path = ARCHIVE) -> None:
    """Packages a `cs285` folder as the reference; the old archive stays until the new one is whole.

    Raises:
        OSError: If it cannot be written.
    """
    write_zip(archive, _read(folder))
    texts.cache_clear()
    given_out.cache_clear()


def _read(folder: Path) -> dict[str, str]:
    files = {file.relative_to(folder).as_posix(): file for file in python_files(folder)}
    return {path: files[path].read_text(encoding="utf-8") for path in sorted(files)}

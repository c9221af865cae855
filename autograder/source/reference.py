"""The solved source that the grader judges by, and what is given out of it.

In a clone, a learner's own code is in `cs285/`. So the reference is an archive of that folder as
its authors left it. `python -m autograder reference` writes it, and a test compares the two.
"""

from __future__ import annotations

import ast
import functools
import re
import zipfile
from collections.abc import Collection, Mapping
from pathlib import Path

from autograder.base.files import python_files, write_zip
from autograder.base.text import UsageError
from autograder.source import PACKAGE, ROOT
from autograder.source.blanks import find_regions

UPDATE = "differs from the reference: restore it, or run `python -m autograder reference`"
ARCHIVE = Path(__file__).parent / "reference.zip"
FIRST_DEFINITION = re.compile(r"^(?=def |class |@)", re.MULTILINE)
TODO_IMPORT = "from cs285.infrastructure.blanks import TODO"


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


def strip(text: str, where: str = "source", homework: str = "") -> str:
    """Returns the file as it is given out, with blanks in the place of its regions.

    Args:
        text: The solved source.
        where: The file's name, for messages.
        homework: Whose handout it is for. The blanks of earlier homeworks stay solved there, for
            they have been handed in by then. Empty: none stays.
    """
    regions = find_regions(text, where)
    empty = {region.id for region in regions if not is_earlier(region.homework, homework)}
    return without_markers(text, empty, where)


def is_earlier(homework: str, other: str) -> bool:
    """Returns whether a homework, such as "hw3", comes before another; none comes before ""."""
    return bool(other) and int(homework.removeprefix("hw")) < int(other.removeprefix("hw"))


def without_markers(text: str, empty: Collection[str], where: str = "source") -> str:
    """Returns the file with some regions replaced by their blanks, and all others solved."""
    regions, lines = find_regions(text, where), text.splitlines()
    if not regions:
        return text
    bodies = {r.id: "\n".join(lines[r.first : r.last - 1]) for r in regions}
    return fill(text, {i: None if i in empty else body for i, body in bodies.items()}, where)


def fill(text: str, bodies: Mapping[str, str | None], where: str = "source") -> str:
    """Replaces regions of a file.

    Args:
        text: The solved source.
        bodies: For each region to replace, by id: its new lines, indented as they will be, or
            None for its blank.
        where: The file's name, for messages.

    Returns:
        The file; it imports TODO if a blank needs that. Other regions keep solution and markers.
    """
    lines = text.splitlines()
    for region in reversed(find_regions(text, where)):
        if region.id in bodies:
            body = bodies[region.id]
            new = [region.blank()] if body is None else body.rstrip("\n").split("\n")
            lines[region.first - 1 : region.last] = new
    if None in bodies.values() and TODO_IMPORT not in text:
        top = FIRST_DEFINITION.split(text, maxsplit=1)[0]
        imports = [n for n in ast.parse(top).body if isinstance(n, ast.Import | ast.ImportFrom)]
        lines.insert(int(imports[-1].end_lineno or 0), TODO_IMPORT)
    return "\n".join(lines) + "\n"


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

"""Whether what was handed in is another year's homework: one line reports it, and costs nothing.

A table lists the modules that other years' handouts have and this course does not. A file is
another year's by its place, or by its imports.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from pathlib import Path

from autograder.base import checks as homeworks
from autograder.base.files import python_files, read_data, read_if_there
from autograder.base.text import one_line

FEWEST = 2  # modules: one alone may be a file of the student's own
MOST_NAMED = 3  # files
IMPORT = re.compile(r"^[ \t]*(?:from|import)[ \t]+(?:(?:\w+\.)*cs285)?\.([\w.]+)", re.MULTILINE)


@functools.cache
def modules() -> frozenset[str]:
    """Returns the modules that only other years have, within `cs285`."""
    return frozenset(read_data("source/wrong_handout.json"))


def line_on(homework: str, files: Mapping[str, bytes]) -> str:
    """Reports that what was handed in, by path within cs285, is another year's, if it is."""
    named, foreign = list[str](), set[str]()
    for path, data in sorted(files.items()):
        found = foreign_modules(path, data)
        if found:
            named.append(one_line(path))
            foreign |= found
    if len(foreign) < FEWEST:
        return ""
    rest = [f"{len(named) - MOST_NAMED} more"] if len(named) > MOST_NAMED else []
    wanted = dict.fromkeys(p for c in homeworks.checks(homework) if c.points for p in c.owners)
    return (
        f"these are files of another year's homework: {', '.join([*named[:MOST_NAMED], *rest])}; "
        f"this year's {homework} wants {', '.join(wanted)}"
    )


def line_on_folder(homework: str, package: Path) -> str:
    """Does the same for a `cs285` folder."""
    found = {f.relative_to(package).as_posix(): read_if_there(f) for f in python_files(package)}
    return line_on(homework, {path: data for path, data in found.items() if data is not None})


def foreign_modules(path: str, data: bytes) -> frozenset[str]:
    """Returns the modules of other years that a file is, or imports."""
    names = {path.removesuffix(".py").replace("/", ".")}
    for name in IMPORT.findall(data.decode("utf-8", errors="replace")):
        names |= {name, f"{path.rpartition('/')[0]}.{name}"}  # from the top, or from beside it
    return modules() & names

"""The part of this project that may stand beside a student's code: probes, and cs285 with blanks.

What a tree needs is found by following imports. So nothing is copied that nothing in it needs: no
answers, no mistakes, and nothing of other homeworks.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

from autograder import homework as homeworks
from autograder.regions import strip

ROOT = Path(__file__).parent.parent
WORKERS = ("autograder.worker", "autograder.isolation.box", "autograder.isolation.escapes")
GIVEN = "autograder/given"
PRIVATE = ("answer_", "mistakes_", "evidence")
"""Modules of a homework that know answers begin like this; the judge's side has them alone."""
SHELVES = ("answers", "families")
"""So do all modules of these folders."""


class LeakError(Exception):
    """Something that knows answers would stand where a student's code runs."""


def probe_tree(homework: str) -> dict[str, str]:
    """Returns the fewest files with which the worker can run a homework's probes.

    They are the worker, the probes, and `autograder/given`: the handout's cs285 with all blanks
    empty. There is no `cs285` folder beside it: what is judged comes from elsewhere.

    Args:
        homework: Such as "hw3".

    Returns:
        Their texts, by path.

    Raises:
        LeakError: If one of the modules knows answers.
    """
    probes = [check.full_probe.split(":")[0] for check in homeworks.checks(homework)]
    files = modules([*WORKERS, *probes])
    for path in files:
        if knows_answers(path):
            raise LeakError(f"{path}: the worker or a probe imports it, and it knows answers")
    given = given_files(homework).items()
    return {**files, **{f"{GIVEN}/{path}": text for path, text in given}}


def knows_answers(path: str) -> bool:
    """Tells whether a module belongs to the judge alone, by its name."""
    name = path.rpartition("/")[2]
    return on_shelf(path) or name.startswith(PRIVATE)


def on_shelf(path: str) -> bool:
    """Tells whether a module lies in a folder that the judge alone may read."""
    return not set(SHELVES).isdisjoint(path.split("/")[:-1])


def given_files(homework: str) -> dict[str, str]:
    """Returns the files of cs285 that a homework's scripts need, blanks empty; by path in cs285."""
    scripts = sorted((ROOT / "scripts").glob(f"run_{homework}*.py"))
    roots = {name for script in scripts for name in imported(script.read_text(encoding="utf-8"))}
    files = modules(sorted(name for name in roots if name.split(".")[0] == "cs285"))
    return {path.removeprefix("cs285/"): text for path, text in sorted(files.items())}


def modules(roots: Iterable[str]) -> dict[str, str]:
    """Returns modules of ours with all blanks empty, and all that these import; by path."""
    found: dict[str, str] = {}
    waiting = list(roots)
    while waiting:
        for path in files_of(waiting.pop()):
            if path not in found:
                found[path] = read(path)
                waiting += imported(found[path])
    return found


def read(path: str) -> str:
    """Returns a file of ours; of cs285 as it is given out, with all blanks empty."""
    text = (ROOT / path).read_text(encoding="utf-8")
    return strip(text, path) if path.startswith("cs285/") else text


def files_of(name: str) -> Iterator[str]:
    """Yields the files that importing a dotted name runs, if they are ours; packages first."""
    parts = name.split(".")
    for number in range(1, len(parts) + 1):
        base = "/".join(parts[:number])
        for path in (f"{base}/__init__.py", f"{base}.py"):
            if (ROOT / path).is_file():
                yield path


def imported(text: str) -> list[str]:
    """Returns the dotted names that a file imports, wherever in it; of modules and of their parts.

    What is imported from a module may be a module itself, so both are named.
    """
    names = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names


def write(file: Path, text: str) -> None:
    """Writes a text file, with line feeds alone, and the folders above it.

    Raises:
        OSError: If it cannot be written.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8", newline="\n")

"""The part of this project that may lie beside a student's code: probes, and cs285 with blanks.

The files of a tree are found by following imports. So nothing is copied that nothing in it needs:
no answers, no misconceptions, and nothing of other homeworks.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path

from autograder.base import checks as homeworks
from autograder.base.checks import as_json, modules_of
from autograder.source import ROOT, reference

WORKERS = (
    "autograder.running.worker",
    "autograder.isolation.sandbox_inside",
    "autograder.isolation.escapes",
)
GIVEN = "autograder/given"
JUDGE = "autograder/misconceptions/"
"""Modules that know answers lie there: the judge's side alone has them."""
SHELVES = {"blanks", "stories", "shared_mutations"}
"""It alone has the files of these folders, too."""
INSIDE = "cs285/"


class LeakError(Exception):
    """Something that knows answers would lie where a student's code runs."""


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
    files = modules([*WORKERS, *probe_modules(homework)])
    for path in files:
        if knows_mutations(path):
            raise LeakError(f"{path}: the worker or a probe imports it, and it knows answers")
    given = given_files(homework).items()
    return {**files, **blank_tables(homework), **{f"{GIVEN}/{path}": text for path, text in given}}


def probe_modules(homework: str) -> list[str]:
    """Returns the modules that a homework's probes are, or need."""
    checks = homeworks.checks(homework)
    return [module for check in checks for module in modules_of(check.full_probe)]


def blank_tables(homework: str) -> dict[str, str]:
    """Returns what the files of a homework's blanks say of calls and cases; one file, by path."""
    return {f"autograder/homeworks/{homework}/blanks.json": as_json(homework)}


def knows_mutations(path: str) -> bool:
    """Returns whether a module belongs to the judge alone, by its place."""
    return on_shelf(path) or path.startswith(JUDGE)


def on_shelf(path: str) -> bool:
    """Returns whether a module lies in a folder that the judge alone may read."""
    return not SHELVES.isdisjoint(Path(path).parts[:-1])


def given_files(homework: str) -> dict[str, str]:
    """Returns the files of cs285 that a homework's scripts need, as they are given out.

    Their blanks are empty, but for those of earlier homeworks; by path in cs285.
    """
    scripts = [script.read_text(encoding="utf-8") for script in scripts_of(homework)]
    roots = {name for script in scripts for name in imported(script)}
    files = modules(sorted(name for name in roots if name.startswith("cs285.")), homework)
    return {path.removeprefix(INSIDE): text for path, text in sorted(files.items())}


def scripts_of(homework: str) -> list[Path]:
    """Returns the scripts of a homework: with its name, that serve each, and that those start.

    `run.py` starts those of all homeworks, of which only some are there; studies are not given out.
    """
    every = {file: _with_experiment(file) for file in (ROOT / "scripts").glob("*.py")}
    waiting = [file for file, text in every.items() if _is_of(homework, file.stem, text)]
    found: set[Path] = set()
    while waiting:
        file = waiting.pop()
        if file in found:
            continue
        found.add(file)
        for name in named_scripts(every[file]):
            waiting += [other for other in every if fnmatch(other.name, f"{name}.py")]
    return sorted(found)


def _with_experiment(script: Path) -> str:
    """Returns the text of a script, and of the experiments that it imports."""
    text, given = script.read_text(encoding="utf-8"), reference.given_out()
    paths = [path.removeprefix(INSIDE) for name in imported(text) for path in files_of(name)]
    files = sorted({path for path in paths if path.startswith("experiments/")} & given.keys())
    return "\n".join([text, *(given[path] for path in files)])


def _is_of(homework: str, name: str, text: str) -> bool:
    """Returns whether a script is a homework's by its name, or serves each homework."""
    if homework in name:
        return True
    if re.search(r"hw\d", name) or name == "run":
        return False
    return not any(module.startswith("studies") for module in imported(text))


def named_scripts(text: str) -> list[str]:
    """Returns names and patterns of scripts that a script imports, or looks for beside itself."""
    strings = (n.value for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Constant))
    names = [*imported(text), *(string for string in strings if isinstance(string, str))]
    return [
        name.removesuffix(".py") for name in names if re.fullmatch(r"run_hw[\w*]+(\.py)?", name)
    ]


def modules(roots: Iterable[str], homework: str = "") -> dict[str, str]:
    """Returns modules of ours, and all that these import, as they are given out; by path.

    Blanks are empty; with a homework, those of earlier ones are solved.
    """
    given, found, waiting = reference.given_out(homework), dict[str, str](), list(roots)
    while waiting:
        for path in files_of(waiting.pop()):
            if path.startswith(INSIDE):
                text = given.get(path.removeprefix(INSIDE))
            else:
                text = (ROOT / path).read_text("utf-8") if (ROOT / path).is_file() else None
            if text is not None and path not in found:
                found[path] = text
                waiting += imported(text)
    return found


def files_of(name: str) -> Iterator[str]:
    """Yields the files that importing a dotted name may run; packages first."""
    parts = name.split(".")
    for number in range(1, len(parts) + 1):
        base = "/".join(parts[:number])
        yield from (f"{base}/__init__.py", f"{base}.py")


def imported(text: str) -> list[str]:
    """Returns the dotted names that a file imports, wherever in it; of modules and of their parts.

    A name that is imported from a module may be a module itself, so both are returned.
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

"""Which code a training run was made with, and whether that has changed since."""

from __future__ import annotations

import ast
import functools
import json
from collections.abc import Collection, Iterator
from pathlib import Path

from autograder.source import PACKAGE

MOST_CONFIG = 2**20  # bytes


def changed_since(run: Path, tree: Path, paths: Collection[str]) -> list[str]:
    """Returns which of some files were changed after a run began, of those that it used.

    Args:
        run: The run's folder. A run writes its config.json when it begins.
        tree: The student's tree.
        paths: Files within `cs285`, such as those with blanks.
    """
    config = run / "config.json"
    try:
        began = config.stat().st_mtime_ns
        script = str(json.loads(config.read_text(encoding="utf-8")[:MOST_CONFIG])["script"])
    except (OSError, ValueError, KeyError, TypeError):
        return []
    used = files_of(tree, tree / "scripts" / f"{script}.py")
    package = tree / PACKAGE
    return [
        path
        for path in paths
        if (not used or package / path in used) and changed_at(package / path) > began
    ]


def changed_at(file: Path) -> int:
    """Returns when a file was changed last, in nanoseconds; 0 if it is not there."""
    return file.stat().st_mtime_ns if file.is_file() else 0


@functools.cache
def files_of(tree: Path, script: Path) -> frozenset[Path]:
    """Returns the files of a tree that a script imports, itself included; none if it is not there.

    They are found in the text: nothing of the student's runs.
    """
    found: set[Path] = set()
    waiting = [script] if script.is_file() else []
    while waiting:
        file = waiting.pop()
        found.add(file)
        waiting += [other for other in set(imported(tree, file)) - found if other.is_file()]
    return frozenset(found)


def imported(tree: Path, file: Path) -> Iterator[Path]:
    """Yields where the modules that a file imports would be in a tree."""
    try:
        nodes = list(ast.walk(ast.parse(file.read_bytes())))
    except (OSError, SyntaxError, ValueError):
        return
    for node in nodes:
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names] + [str(node.module)]
        for name in names:
            yield (tree / name.replace(".", "/")).with_suffix(".py")

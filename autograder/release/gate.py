"""Checks a tree before it is given out. Each problem is one line: where, and what."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from autograder.misconceptions import catalogue
from autograder.misconceptions.catalogue import beside_questions, questions
from autograder.misconceptions.oracle import table_file
from autograder.release import leaks, trial
from autograder.source import ROOT, reference
from autograder.source.blanks import find_regions
from autograder.source.handout_files import on_shelf

OURS = ("cs285", "autograder", "scripts", "tests")
DEGREES = ("quick", "full")
AT_THE_TOP = {
    ".gitignore", "README.md", "autograder", "constraints.txt", "cs285", "docs", "pyproject.toml",
    "notebooks", "scripts", "setup.py",
}  # fmt: skip
KINDS = (
    ".py", ".ipynb", ".md", ".html", ".png", ".svg", ".toml", ".txt", ".json", ".gitignore",
    ".safetensors",
)  # fmt: skip


def problems(
    homework: str, folder: Path, degree: str, progress: Callable[[str], None]
) -> list[str]:
    """Returns all that is wrong with a tree; what takes long only if the rest is right.

    Args:
        homework: Such as "hw3".
        folder: The tree.
        degree: One of `DEGREES`.
        progress: Prints a line about the next step.

    Raises:
        ReleaseError: If the tree cannot be tried.
    """
    progress("looking for wrong files, imports, tables and lines of solutions")
    found = [*of_files(folder), *of_imports(folder), *of_tables(homework, folder)]
    found += leaks.found_in(folder, homework)
    return found or [*trial.problems(homework, folder, degree == "full")]


def of_source(homework: str) -> Iterator[str]:
    """Yields what is wrong with the markers of the source, or with its list of checks."""
    where: dict[str, str] = {}
    for path in reference.differences():
        yield f"{path} {reference.UPDATE}"
    for file in sorted((ROOT / "cs285").rglob("*.py")):
        path = file.relative_to(ROOT).as_posix()
        try:
            regions = find_regions(file.read_text(encoding="utf-8"), path)
        except ValueError as error:
            yield str(error)
            continue
        for region in regions:
            place = f"{path}:{region.first}"
            if region.id in where:
                yield f"{place}: {region.id} stands at {where[region.id]} too"
            where[region.id] = place
    for check in sorted(catalogue.checks_so_far(homework), key=lambda check: check.id):
        if check.points and check.id not in where:
            yield f"homeworks/{homework}/checks.json: {check.id} is no blank"


def of_files(folder: Path) -> Iterator[str]:
    """Yields files that have no place in the tree, and sources that do not compile."""
    for file in sorted(folder.rglob("*")):
        path = file.relative_to(folder).as_posix()
        if file.is_symlink() or path.split("/")[0] not in AT_THE_TOP:
            yield f"{path}: has no place in what is given out"
        elif file.is_file() and (not file.name.endswith(KINDS) or is_mutation_file(path)):
            yield f"{path}: is no kind of file that is given out"
        elif file.suffix == ".py":
            try:
                compile(file.read_text(encoding="utf-8"), path, "exec")
            except (SyntaxError, ValueError) as error:
                yield f"{path}:{getattr(error, 'lineno', 0)}: does not compile: {error}"


def is_mutation_file(path: str) -> bool:
    """Returns whether a file lists mutations."""
    return path.endswith(".toml") and on_shelf(path)


def of_imports(folder: Path) -> Iterator[str]:
    """Yields imports of ours that lead nowhere in the tree."""
    for path, tree in parsed(folder).items():
        for node in statements(tree):
            for name in modules_in(node):
                base = folder / name.replace(".", "/")
                if not (base.is_dir() or base.with_suffix(".py").is_file()):
                    yield f"{path}:{getattr(node, 'lineno', 0)}: imports {name}, which is not there"


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Yields all statements of a file, and what they lie in; not the many expressions."""
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.expr):
            yield node
            yield from statements(node)


def modules_in(node: ast.AST) -> list[str]:
    """Returns the modules of ours that a statement imports."""
    names = []
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        names = [node.module]
    elif isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    return [name for name in names if name.split(".")[0] in OURS]


def of_tables(homework: str, folder: Path) -> Iterator[str]:
    """Yields questions whose tables are missing there."""
    for question in (*questions(homework), *beside_questions(homework)):
        path = table_file(question.blank).relative_to(ROOT).as_posix()
        if not (folder / path).is_file():
            yield f"{path}: is missing, so {question.blank} cannot be judged"


def parsed(folder: Path) -> Mapping[str, ast.Module]:
    """Returns the syntax trees of all sources that can be read, by path."""
    found = {}
    for file in sorted(folder.rglob("*.py")):
        try:
            tree = ast.parse(file.read_text(encoding="utf-8"))
        except (SyntaxError, ValueError):
            continue  # `of_files` reports it
        found[file.relative_to(folder).as_posix()] = tree
    return found

"""Takes the bodies of secret functions out of modules, and all that only these bodies used."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from autograder.release import ReleaseError

Used = set[tuple[str, str]]  # module, and a name that is defined at its top
Definition = (
    ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign | ast.Import | ast.ImportFrom
)
WIDTH = 100


@dataclass(frozen=True)
class Edit:
    """Lines of a file, from 1, and what takes their place."""

    first: int
    last: int
    lines: tuple[str, ...] = ()


def without_secrets(files: Mapping[str, str]) -> dict[str, str]:
    """Returns Python files, by path, without the bodies of functions that are `@secret`.

    What was used before, and is not used any more, goes too: helpers, constants, imports.

    Raises:
        ReleaseError: If a secret function has no docstring, which would be all that is left of it.
    """
    before = all_used(files)
    found = {path: empty_secrets(text, path) for path, text in files.items()}
    while lost := before - all_used(found):
        smaller = {path: drop(text, {n for m, n in lost if m == module_of(path)})
                   for path, text in found.items()}  # fmt: skip
        if smaller == found:
            break
        found = smaller
    return found


def module_of(path: str) -> str:
    """Returns the dotted name of a file."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def secrets_in(tree: ast.Module) -> Iterator[tuple[ast.FunctionDef, ast.Call]]:
    """Yields the secret functions of a module, each with its decorator."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            for mark in node.decorator_list:
                call = mark if isinstance(mark, ast.Call) else None
                if call and isinstance(call.func, ast.Name) and call.func.id == "secret":
                    yield node, call


def empty_secrets(text: str, path: str) -> str:
    """Returns a module whose secret functions have signature and docstring alone.

    Raises:
        ReleaseError: If one has no docstring.
    """
    edits = []
    for function, mark in secrets_in(ast.parse(text)):
        if ast.get_docstring(function) is None:
            raise ReleaseError(f"{path}:{function.lineno}: a secret function without a docstring")
        edits.append(Edit(mark.lineno, int(mark.end_lineno or 0), ("@secret()",)))
        words, last = function.body[0], function.body[-1]
        edits.append(Edit(int(words.end_lineno or 0) + 1, int(last.end_lineno or 0)))
    return edited(text, edits)


def edited(text: str, edits: list[Edit]) -> str:
    """Makes changes, none of which overlap, and leaves no more than two empty lines in a row."""
    lines = text.splitlines()
    for edit in sorted(edits, key=lambda edit: -edit.first):
        lines[edit.first - 1 : edit.last] = edit.lines
    return re.sub(r"\n{4,}", "\n\n\n", "\n".join(lines).strip("\n") + "\n")


def all_used(files: Mapping[str, str]) -> Used:
    """Returns which names are used outside of their own definitions, in any of the files."""
    modules = frozenset(module_of(path) for path in files)
    each = (used_by(module_of(path), text, modules) for path, text in files.items())
    return set().union(*each)


@functools.cache
def used_by(module: str, text: str, modules: frozenset[str]) -> Used:
    """Returns what a module uses of itself and, by importing it, of others."""
    tree = ast.parse(text)
    imported = [
        (node.module, alias)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and not node.level
        for alias in node.names
    ]
    used = {(source, alias.name) for source, alias in imported}
    used |= {(module, name) for item in tree.body for name in names_in(item) - names_of(item)}
    whole = {
        alias.asname or alias.name: f"{source}.{alias.name}"
        for source, alias in imported
        if f"{source}.{alias.name}" in modules
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            used.add((whole.get(node.value.id, ""), node.attr))
    return used


def names_in(node: ast.AST) -> set[str]:
    """Returns the names that are used within a statement, also as texts: `__all__` has those."""
    found = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    if isinstance(node, ast.Assign) and names_of(node) == {"__all__"}:
        found |= {str(n.value) for n in ast.walk(node) if isinstance(n, ast.Constant)}
    return found


def names_of(node: ast.AST) -> set[str]:
    """Returns the names that a statement at the top of a module defines."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name.split(".")[0] for alias in node.names}
    if isinstance(node, ast.Assign):
        return {
            n.id for target in node.targets for n in ast.walk(target) if isinstance(n, ast.Name)
        }
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return {node.target.id}
    return set()


def drop(text: str, names: set[str]) -> str:
    """Returns a module without what defines only these names, and the comments right above."""
    lines = text.splitlines()
    edits = []
    for node in ast.parse(text).body if names else ():
        gone = names_of(node) & names
        if not gone or isinstance(node, ast.Assign) and gone != names_of(node):
            continue
        first = min([node.lineno, *(m.lineno for m in getattr(node, "decorator_list", []))])
        left: tuple[str, ...] = ()
        if isinstance(node, ast.Import | ast.ImportFrom):
            left = import_of(node, gone)
        while not left and first > 1 and lines[first - 2].startswith("#"):
            first -= 1
        edits.append(Edit(first, int(node.end_lineno or 0), left))
    return edited(text, edits)


def import_of(node: ast.Import | ast.ImportFrom, without: set[str]) -> tuple[str, ...]:
    """Returns the lines of an import that leaves out some names."""
    kept = [a for a in node.names if (a.asname or a.name.split(".")[0]) not in without]
    if not kept:
        return ()
    texts = [a.name + (f" as {a.asname}" if a.asname else "") for a in kept]
    if isinstance(node, ast.Import):
        return (f"import {', '.join(texts)}",)
    line = f"from {node.module} import {', '.join(texts)}"
    if len(line) <= WIDTH:
        return (line,)
    return (f"from {node.module} import (", *(f"    {text}," for text in texts), ")")

"""Changes a student's file before it is compiled."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator
from typing import NamedTuple

PACKAGE = "cs285"
BLANKS = f"{PACKAGE}.infrastructure.blanks"
ABOVE = re.compile(rf"^(\w+\.)+{PACKAGE}\b")  # a name that begins above the package


def shorten_imports(tree: ast.Module) -> None:
    """Lets what is imported from above the package, as `hw3.cs285...`, come from it, in place.

    Such a file runs where the folder above is the student's own root; here it is not.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and not node.level:
            node.module = ABOVE.sub(PACKAGE, node.module or "")
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname:  # without one, the name of the folder above is what it binds
                    alias.name = ABOVE.sub(PACKAGE, alias.name)


class MissingUnused(ast.NodeTransformer):
    """Lets what a file imports and never uses be missing: nothing depends on it.

    An import within a `try` stays as it is: the author has thought of its failure.
    """

    def __init__(self, tree: ast.Module) -> None:
        """Notes which names the file uses."""
        self.used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}

    def visit_Try(self, node: ast.Try) -> ast.Try:  # noqa: N802  (the name that `ast` calls)
        """Leaves it as it is."""
        return node

    def visit_Import(self, node: ast.Import) -> list[ast.stmt]:  # noqa: N802
        """Splits `import a, b` into what is used and what is not."""
        return self._split(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> list[ast.stmt]:  # noqa: N802
        """Does the same for `from a import b, c`, but for a star and for `__future__`."""
        return [node] if node.module == "__future__" else self._split(node)

    def _split(self, node: ast.Import | ast.ImportFrom) -> list[ast.stmt]:
        parts: list[ast.stmt] = []
        for alias in node.names:
            part = copy.copy(node)
            part.names = [alias]
            if alias.name == "*" or (alias.asname or alias.name.split(".")[0]) in self.used:
                parts.append(part)
                continue
            (may_fail,) = ast.parse("try: pass\nexcept ImportError: pass").body
            assert isinstance(may_fail, ast.Try)
            for line in ast.walk(may_fail):
                ast.copy_location(line, node)
            may_fail.body = [part]
            parts.append(may_fail)
        return parts


class Skip(NamedTuple):
    """A statement that is replaced by the stand-in of its blank."""

    blank: str
    defines: tuple[str, ...]  # names that the code below the blank needs
    loop: bool  # whether it is the whole loop around the line, which never ends


def skip_statement(tree: ast.Module, line: int, skip: Skip) -> None:
    """Replaces the innermost statement, or loop, at a line by `names = TODO(blank)`, in place.

    The names are those that the statement would have assigned, and those that the blank defines.
    """
    found = _innermost(tree, line, skip.loop)
    if found is None:
        return
    body, place = found
    statement = body[place]
    stored = [n for n in ast.walk(statement) if isinstance(n, ast.Name)]
    names = [n.id for n in stored if isinstance(n.ctx, ast.Store)]
    names = list(dict.fromkeys([*names, *skip.defines]))
    todo = f'__import__("{BLANKS}", fromlist=["TODO"]).TODO("{skip.blank}")'
    new = ast.parse(" = ".join([*names, todo])).body[0]
    body[place] = ast.fix_missing_locations(ast.copy_location(new, statement))


def _innermost(tree: ast.Module, line: int, loop: bool) -> tuple[list[ast.stmt], int] | None:
    """Returns the statements among which the innermost one at a line is, and its place there."""
    found, smallest = None, (0, 0)
    for body in _bodies(tree):
        for place, statement in enumerate(body):
            last = statement.end_lineno or 0
            if not statement.lineno <= line <= last:
                continue
            if loop and not isinstance(statement, ast.For | ast.While):
                continue
            size = (last - statement.lineno, -statement.col_offset)
            if found is None or size < smallest:
                found, smallest = (body, place), size
    return found


def _bodies(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    """Yields all lists of statements, the outermost first."""
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list):
                yield body

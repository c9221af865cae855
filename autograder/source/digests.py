"""Hashes of the files that were given out, by which altered ones are found.

Only what is given counts. In a file that has blanks these are the definitions around the methods
that hold a blank: whatever a student writes into such a method is their own.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence

LEFT_OUT = re.compile(
    r"^ *# (BEGIN SOLUTION hw\d+\.\w+\.\w+( -> \w+(, \w+)*)?|END SOLUTION)$|^__version__ = "
)
FOLLOWS = "your version runs, here and in training, and a check fails only where that matters"
Digests = dict[str, dict[str, str]]  # path within cs285 -> definition -> hash of its lines


def lines_of(lines: Sequence[str], node: ast.stmt) -> str:
    """Returns the lines of a definition, decorators included."""
    first = min([node.lineno, *(mark.lineno for mark in getattr(node, "decorator_list", []))])
    return "\n".join(lines[first - 1 : node.end_lineno])


def digest(text: str) -> str:
    """Returns a hash of lines, whatever they end with; trailing blanks and empty ends left out.

    So are the markers of solutions, which our own source has and a handout has not, and the line
    of the version: with another release's handout nothing is altered by that.
    """
    every = (line.rstrip() for line in text.removeprefix("\ufeff").splitlines())
    lines = [line for line in every if not LEFT_OUT.match(line)]
    return hashlib.sha256("\n".join(lines).rstrip("\n").encode()).hexdigest()


@functools.lru_cache(maxsize=64)  # with --watch most files stay as they were
def digests(text: str) -> Mapping[str, str]:
    """Returns a hash for each definition in a file."""
    nodes, lines = every_definition(ast.parse(text)), text.splitlines()
    return {name: digest(lines_of(lines, node)) for name, node in nodes}


def every_definition(
    node: ast.Module | ast.ClassDef, above: str = ""
) -> Iterator[tuple[str, ast.stmt]]:
    """Yields functions and classes at the top of a file, and the methods of these classes."""
    for part in node.body:
        if isinstance(part, ast.FunctionDef | ast.ClassDef):
            yield above + part.name, part
        if isinstance(part, ast.ClassDef):
            yield from every_definition(part, f"{above}{part.name}.")

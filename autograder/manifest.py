"""Which files were given out, and as what: so that it can be said which of them were altered.

Only what is given counts. In a file that has blanks these are the definitions around the methods
that hold a blank: whatever a student writes into such a method is their own.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from autograder.files import read_if_there

FILE = Path(__file__).parent / "manifest.json"
PACKAGE = "cs285"
MARKER = re.compile(r"^ *# (BEGIN SOLUTION hw\d+\.\w+\.\w+( -> \w+(, \w+)*)?|END SOLUTION)$")
FOLLOWS = "your version runs, here and in training, and a check fails only where that matters"
MOST_NAMED = 3  # changed parts of a file; whoever hands in another year's file changed most
Fingerprints = dict[str, dict[str, str]]  # path within cs285 -> definition -> hash of its lines


def lines_of(lines: Sequence[str], node: ast.stmt) -> str:
    """Returns the lines of a definition, decorators included."""
    first = min([node.lineno, *(mark.lineno for mark in getattr(node, "decorator_list", []))])
    return "\n".join(lines[first - 1 : node.end_lineno])


def digest(text: str) -> str:
    """Returns a hash of lines, whatever they end with; trailing blanks and empty ends left out.

    So are the markers of solutions: our own source has some where a handout has none.
    """
    every = (line.rstrip() for line in text.removeprefix("\ufeff").splitlines())
    lines = [line for line in every if not MARKER.match(line)]
    return hashlib.sha256("\n".join(lines).rstrip("\n").encode()).hexdigest()


def altered(given: Fingerprints, files: Mapping[str, bytes]) -> list[str]:
    """Says which files, by path within cs285, differ from what was given out; one line each.

    What is missing is not altered.
    """
    notes = []
    for path in sorted(given.keys() & files.keys()):
        where = changed_parts(given[path], files[path])
        if where:
            more = [f"{len(where) - MOST_NAMED} more"] if len(where) > MOST_NAMED else []
            parts = f" ({', '.join([*where[:MOST_NAMED], *more])})" if any(where) else ""
            notes.append(f"{PACKAGE}/{path} differs from what was given out{parts}; {FOLLOWS}")
    return notes


def changed_parts(given: Mapping[str, str], data: bytes) -> list[str]:
    """Returns the definitions of a file that are not as they were given; [""] for all of it.

    A file that cannot be read is the checks' business: nothing is said of its parts.
    """
    text = data.decode("utf-8", errors="replace")
    if "" in given:
        return [] if given[""] == digest(text) else [""]
    try:
        found = digests(text)
    except (SyntaxError, ValueError, RecursionError):
        return []
    return [name for name, known in given.items() if found.get(name) != known]


@functools.lru_cache(maxsize=64)  # with --watch most files stay as they were
def digests(text: str) -> Mapping[str, str]:
    """Returns a hash for each definition in a file."""
    nodes, lines = every_definition(ast.parse(text), ""), text.splitlines()
    return {name: digest(lines_of(lines, node)) for name, node in nodes}


def every_definition(node: ast.Module | ast.ClassDef, above: str) -> Iterator[tuple[str, ast.stmt]]:
    """Yields functions and classes at the top of a file, and the methods of these classes."""
    for part in node.body:
        if isinstance(part, ast.FunctionDef | ast.ClassDef):
            yield above + part.name, part
        if isinstance(part, ast.ClassDef):
            yield from every_definition(part, f"{above}{part.name}.")


@functools.cache
def given_out(homework: str) -> Fingerprints:
    """Returns what was given out: by the handout's manifest, or by the source it is made from."""
    if FILE.is_file():
        found: Fingerprints = json.loads(FILE.read_text(encoding="utf-8"))["files"]
        return found
    # Imported by name, for a handout has the manifest and nothing that makes handouts.
    source = importlib.import_module("autograder.public_tree")
    made: Fingerprints = source.describe(source.given_files(homework))
    return made


def notes_on(homework: str, package: Path) -> list[str]:
    """Says which given files in a `cs285` folder were altered; one line each."""
    found = {path: read_if_there(package / path) for path in given_out(homework)}
    files = {path: data for path, data in found.items() if data is not None}
    return altered(given_out(homework), files)

"""Which given files differ from those that were given out."""

from __future__ import annotations

import functools
import importlib
import json
from collections.abc import Mapping
from pathlib import Path

from autograder.base.files import read_if_there
from autograder.source.digests import FOLLOWS, Digests, digest, digests

FILE = Path(__file__).parent / "digests.json"
PACKAGE = "cs285"
MOST_NAMED = 3  # changed parts of a file; whoever hands in another year's file changed most


def altered(given: Digests, files: Mapping[str, bytes]) -> list[str]:
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


@functools.cache
def given_out(homework: str) -> Digests:
    """Returns what was given out: by the handout's manifest, or by the source it is made from."""
    if FILE.is_file():
        found: Digests = json.loads(FILE.read_text(encoding="utf-8"))["files"]
        return found
    # Imported by name, for a handout has the manifest and nothing that makes handouts.
    source = importlib.import_module("autograder.source.handout_files")
    made: Digests = source.describe(source.given_files(homework))
    return made


def notes_on(homework: str, package: Path) -> list[str]:
    """Says which given files in a `cs285` folder were altered; one line each."""
    found = {path: read_if_there(package / path) for path in given_out(homework)}
    files = {path: data for path, data in found.items() if data is not None}
    return altered(given_out(homework), files)

"""Which given files differ from those that were given out."""

from __future__ import annotations

import functools
import importlib
import json
from collections.abc import Mapping
from pathlib import Path

from autograder.base.files import read_if_there
from autograder.source.digests import FOLLOWS, Digests, digest, digests
from autograder.source.moved import place
from autograder.source.syntax import PACKAGE

FILE = Path(__file__).parent / "digests.json"
MOST_NAMED = 3  # changed parts of a file; whoever hands in another year's file changed most


def altered(given: Digests, files: Mapping[str, bytes]) -> list[str]:
    """Reports which files, by path within cs285, differ from the handout's; one line each.

    A missing file is not altered.
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

    Nothing is reported of a file that does not parse: the checks do that.
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
    """Returns what was given out: by the handout's digests, or by the source it is made from."""
    if FILE.is_file():
        found: Digests = json.loads(FILE.read_text(encoding="utf-8"))["files"]
        return found
    # Imported by name, for a handout has the digests and nothing that makes handouts.
    source = importlib.import_module("autograder.source.handout_files")
    made: Digests = source.describe(source.given_files(homework))
    return made


def notes_on(homework: str, package: Path) -> list[str]:
    """Reports which given files in a `cs285` folder were altered; one line each."""
    found = {path: read_if_there(place(package, path)) for path in given_out(homework)}
    files = {path: data for path, data in found.items() if data is not None}
    return altered(given_out(homework), files)

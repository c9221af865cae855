"""A submission with our bodies in the places of some blanks, where the solution is there.

So a whole agent can train although some of its blanks are open or wrong, and the points of a blank
depend on its own text alone.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import textwrap
from collections.abc import Callable, Collection

from autograder.base.seen import Crash, Seen
from autograder.misconceptions.oracle import is_handout
from autograder.source.blanks import lines_of
from autograder.source.submission import given_texts


def has_solution(homework: str) -> bool:
    """Returns whether our bodies are here: not in a handout, nor in Gradescope's container."""
    return not is_handout(homework)


def with_ours(
    homework: str, own: Callable[[str], str | None], blanks: Collection[str]
) -> dict[str, str] | None:
    """Returns the files in which these blanks have our bodies, by path; None if that is no code.

    Args:
        homework: Whose handout the files are compared with.
        own: Returns the text of a student's file; None if it is not there.
        blanks: Their ids.
    """
    # By its name, so that no import of it is seen: a copy does not have it.
    regions = importlib.import_module("autograder.misconceptions.mutants").regions()
    texts, given = dict[str, str](), given_texts(homework)
    for blank in blanks:
        path, region, body = regions[blank]
        lines = (texts.get(path) or own(path) or given[path]).splitlines()
        first, last = lines_of(blank, given[path].splitlines(), lines)
        ours = textwrap.indent(textwrap.dedent(body).strip("\n"), " " * region.indent)
        lines[first - 1 : last] = ours.splitlines()
        texts[path] = "\n".join(lines) + "\n"
    try:
        for text in texts.values():
            ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    return texts


def without_words(seen: Seen, own: Callable[[str], str | None]) -> Seen:
    """Returns what was seen, without words that may be our bodies': its student reads them.

    Args:
        seen: In a process that had our bodies, and may have written anything.
        own: Returns the text of a student's file; None if it is not there.
    """
    crashes = {case: without_text(crash, own) for case, crash in seen.crashes.items()}
    ended = "it did not come to its end" if seen.ended else ""
    return Seen(seen.arrays, crashes, ended=ended, files=seen.files)


def without_text(crash: Crash, own: Callable[[str], str | None]) -> Crash:
    """Returns an exception with its kind, if it is one of Python's, and a line of the student's."""
    kind = crash.kind if hasattr(builtins, crash.kind) or crash.never_ends else "Exception"
    lines = [line.strip() for line in (own(crash.file) or "").splitlines()]
    places = [n for n, line in enumerate(lines, 1) if line and line == crash.source]
    if not places:
        return Crash(kind, "", crash.file if lines else "")
    nearest = min(places, key=lambda number: abs(number - crash.line))
    return Crash(kind, "", crash.file, nearest, crash.source)

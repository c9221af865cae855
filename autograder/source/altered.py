"""What was handed in beside what was given out: altered files, and files of another year.

Only what is given counts. In a file that has blanks these are the definitions around the methods
that hold a blank: whatever a student writes into such a method is their own.
"""

from __future__ import annotations

import ast
import functools
import importlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from autograder.base import checks as homeworks
from autograder.base.files import read_data
from autograder.base.text import one_line
from autograder.source import PACKAGE
from autograder.source.blanks import BEGIN, EMPTY, END
from autograder.source.submission import GIVEN, given_texts

FOLLOWS = "your version runs, here and in training, and a check fails only where that matters"
MOST_NAMED = 3  # files, or parts of one; whoever hands in another year's file changed most
VERSION = re.compile("^__version__ = ")
FEWEST = 2  # modules of another year: one alone may be a file of the student's own
IMPORT = re.compile(r"^[ \t]*(?:from|import)[ \t]+(?:(?:\w+\.)*cs285)?\.([\w.]+)", re.MULTILINE)


@functools.cache
def given_out(homework: str) -> Mapping[str, str]:
    """Returns the files of `cs285` that a homework's handout has, by path within it."""
    if GIVEN.is_dir():
        return given_texts(homework)
    # Imported by name, for a handout has nothing that makes handouts.
    source = importlib.import_module("autograder.source.handout_files")
    given: Mapping[str, str] = source.given_files(homework)
    return given


def altered(homework: str, files: Mapping[str, bytes]) -> list[str]:
    """Reports which files, by path within cs285, differ from the handout's; one line each.

    A missing file is not altered.
    """
    notes = []
    for path, given in sorted(given_out(homework).items()):
        where = changed_parts(given, files[path]) if path in files else []
        if where:
            parts = f" ({_some(where)})" if any(where) else ""
            notes.append(f"{PACKAGE}/{path} differs from what was given out{parts}; {FOLLOWS}")
    return notes


def changed_parts(given: str, data: bytes) -> list[str]:
    """Returns the definitions of a file that are not as they were given; [""] for all of it.

    Nothing is reported of a file that does not parse: the checks do that.
    """
    text = data.decode("utf-8-sig", errors="replace")
    if not EMPTY.search(given):
        same = comparable(given.splitlines()) == comparable(text.splitlines())
        return [] if same else [""]
    try:
        found = definitions(text)
    except (SyntaxError, ValueError, RecursionError):
        return []
    return [name for name, lines in given_definitions(given).items() if found.get(name) != lines]


@functools.cache
def given_definitions(text: str) -> Mapping[str, str]:
    """Returns what is compared of a file with blanks: classes and functions without any."""
    found = dict[str, str]()
    for name, lines in definitions(text).items():
        within = name.startswith(tuple(f"{whole}." for whole in found))
        if not within and not EMPTY.search(lines):
            found[name] = lines
    return found


@functools.lru_cache(maxsize=64)  # with --watch most files stay as they were
def definitions(text: str) -> Mapping[str, str]:
    """Returns what is compared of each definition in a file, by its name."""
    nodes, lines = every_definition(ast.parse(text)), text.splitlines()
    return {name: comparable(lines[first_line(n) - 1 : n.end_lineno]) for name, n in nodes}


def every_definition(
    node: ast.Module | ast.ClassDef, above: str = ""
) -> Iterator[tuple[str, ast.FunctionDef | ast.ClassDef]]:
    """Yields functions and classes at the top of a file, and the methods of these classes."""
    for part in node.body:
        if isinstance(part, ast.FunctionDef | ast.ClassDef):
            yield above + part.name, part
        if isinstance(part, ast.ClassDef):
            yield from every_definition(part, f"{above}{part.name}.")


def first_line(node: ast.FunctionDef | ast.ClassDef) -> int:
    """Returns the first line of a definition, decorators included."""
    return min([node.lineno, *(mark.lineno for mark in node.decorator_list)])


def comparable(lines: Iterable[str]) -> str:
    """Returns what is compared of lines: neither their ends, nor empty lines below.

    Nor are markers of solutions, which our own source has and a handout has not, and the line of
    the version: with another release's handout nothing is altered by that.
    """
    every = map(str.rstrip, lines)
    kept = (line for line in every if not any(one.match(line) for one in (BEGIN, END, VERSION)))
    return "\n".join(kept).rstrip("\n")


def another_years(homework: str, files: Mapping[str, bytes]) -> str:
    """Reports that what was handed in, by path within cs285, is another year's, if it is.

    A table lists the modules that other years' handouts have and this course does not.
    """
    named, foreign = list[str](), set[str]()
    for path, data in sorted(files.items()):
        found = foreign_modules(path, data)
        if found:
            named.append(one_line(path))
            foreign |= found
    if len(foreign) < FEWEST:
        return ""
    wanted = dict.fromkeys(p for c in homeworks.checks(homework) if c.points for p in c.owners)
    return (
        f"these are files of another year's homework: {_some(named)}; "
        f"this year's {homework} wants {', '.join(wanted)}"
    )


def foreign_modules(path: str, data: bytes) -> frozenset[str]:
    """Returns the modules of other years that a file is, by its place, or imports."""
    names = {path.removesuffix(".py").replace("/", ".")}
    for name in IMPORT.findall(data.decode("utf-8", errors="replace")):
        names |= {name, f"{path.rpartition('/')[0]}.{name}"}  # from the top, or from beside it
    return _of_other_years() & names


@functools.cache
def _of_other_years() -> frozenset[str]:
    """Returns the modules that only other years have, within `cs285`."""
    return frozenset(read_data("source/wrong_handout.json"))


def _some(names: Sequence[str]) -> str:
    """Returns the first names, and how many more there are."""
    more = [f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
    return ", ".join([*names[:MOST_NAMED], *more])

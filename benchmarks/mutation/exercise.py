"""Which lines a training runs, and which a mutant changes: a run says nothing of other lines."""

from __future__ import annotations

import ast
import difflib
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from benchmarks.mutation.points import Mutant, MutationPoint

Lines = dict[str, set[int]]  # path within cs285 -> numbers of lines


@contextmanager
def recorded(package: Path, paths: Collection[str] | None = None) -> Iterator[Lines]:
    """Records which lines of a `cs285` folder run, in all of its files or in some."""
    found: Lines = {}
    keys: dict[str, set[int] | None] = {}

    def lines_for(file: str) -> set[int] | None:
        if not file.startswith(f"{package}/"):
            return None
        path = Path(file).relative_to(package).as_posix()
        return found.setdefault(path, set()) if paths is None or path in paths else None

    def enter(frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        file = frame.f_code.co_filename
        if file not in keys:
            keys[file] = lines_for(file)
        lines = keys[file]
        if lines is None:
            return None

        def step(frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
            lines.add(frame.f_lineno)
            return step

        return step

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        yield found
    finally:
        sys.settrace(before)


def changed_lines(mutant: Mutant) -> tuple[set[int], set[int]]:
    """Returns the lines that a mutant takes from our file, and those that it adds to its own."""
    point = mutant.point
    before = ast.unparse(ast.parse(point.code)).splitlines()
    after = mutant.mutation.text.splitlines()
    source, removed, added = source_lines(point), set(), set()
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for what, first, last, new_first, new_last in matcher.get_opcodes():
        if what != "equal":
            removed |= {line for n in range(first, last) for line in source.get(n + 1, ())}
            added |= {point.first + n for n in range(new_first, new_last)}
    return removed, added


def source_lines(point: MutationPoint) -> dict[int, range]:
    """Returns the lines of our file behind each line of a site as `ast.unparse` writes it.

    `unparse` gives each statement, or the head of one, a line of its own.
    """
    ours = ast.parse(point.code)
    plain = ast.parse(ast.unparse(ours))
    found: dict[int, range] = {}
    for one, other in zip(statements(ours), statements(plain), strict=True):
        first = point.first - 1 + one.lineno
        found[other.lineno] = range(first, first + length_of_head(one))
    return found


def statements(tree: ast.AST) -> list[ast.stmt | ast.excepthandler]:
    """Returns all statements below a node, in one order for one structure."""
    return [node for node in ast.walk(tree) if isinstance(node, ast.stmt | ast.excepthandler)]


def length_of_head(statement: ast.stmt | ast.excepthandler) -> int:
    """Returns how many lines a statement has before its own block, if it has one."""
    block = getattr(statement, "body", None)
    last = block[0].lineno - 1 if block else statement.end_lineno or statement.lineno
    return max(1, last - statement.lineno + 1)


def runs(mutant: Mutant, reference: Mapping[str, Collection[int]], own: Collection[int]) -> bool:
    """Tells whether a training ran what a mutant changes.

    Args:
        mutant: Which.
        reference: Lines of each file that the training ran with our source.
        own: Lines of the changed file that it ran with the mutant; may be empty where the mutant
            takes lines away.
    """
    removed, added = changed_lines(mutant)
    return not removed.isdisjoint(reference.get(mutant.point.path, ())) or not added.isdisjoint(own)


def reached(point: MutationPoint, reference: Mapping[str, Collection[int]]) -> bool:
    """Tells whether a training ran any statement of a site, the lines that are not its own apart.

    The line that defines a function runs when the file is imported, and is no sign of a call.
    """
    inner = statements(ast.parse(point.code))
    wanted = {
        point.first - 1 + one.lineno
        for one in inner
        if not isinstance(one, ast.FunctionDef) and one.lineno not in point.frozen
    }
    return not wanted.isdisjoint(reference.get(point.path, ()))

"""Where mutants are made: every solved region of a homework, and the given methods beside it.

The text around a region, in its own method, is a student's to change, and nobody is told if they
do. Of the other given methods the grader says which were altered.
"""

from __future__ import annotations

import ast
import functools
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from autograder.base.checks import Check, checks, names
from autograder.source import ROOT
from autograder.source.blanks import Region, find_regions
from benchmarks.mutation.edits import Reach, reach_of
from benchmarks.mutation.operators import OPERATORS, WRAPS, Mutation, mutations

BLANK, AROUND, GIVEN = "blank", "around a blank", "given"
# Not in what is given, which nobody writes anew: they alone would make twice as many as all others.
NOT_IN_GIVEN = {"name", "attribute", *WRAPS} - {"sign"}


@dataclass(frozen=True)
class MutationPoint:
    """A piece of code that mutants are made of.

    Attributes:
        name: The blank's id; else the file within cs285, and the function.
        kind: BLANK, AROUND or GIVEN.
        path: The file, within cs285.
        first: The first line that is replaced, from 1.
        last: The last one.
        indent: Of these lines, in spaces.
        reach: What names may be put in the place of others.
        frozen: Lines of the piece that are left alone: a blank in it.
    """

    name: str
    kind: str
    path: str
    first: int
    last: int
    indent: int
    reach: Reach
    frozen: frozenset[int]

    @property
    def code(self) -> str:
        """The piece, without its indent."""
        return textwrap.dedent("\n".join(lines(self.path)[self.first - 1 : self.last]))

    @property
    def own_checks(self) -> list[str]:
        """The ids of the checks that must see a change here."""
        if self.kind == BLANK:
            return [self.name]
        return [check.id for check in all_checks() if self.path in check.owners]

    @property
    def has_check(self) -> bool:
        """Whether there is a check that must see a change here."""
        return not {check.id for check in all_checks()}.isdisjoint(self.own_checks)

    def file_with(self, text: str) -> str:
        """Returns the whole file with another text in this place."""
        held = lines(self.path)
        new = textwrap.indent(text, " " * self.indent).split("\n")
        return "\n".join([*held[: self.first - 1], *new, *held[self.last :]]) + "\n"

    def mutations(self) -> Iterator[Mutation]:
        """Yields what the operators make of it."""
        wanted = [name for name in OPERATORS if self.kind != GIVEN or name not in NOT_IN_GIVEN]
        yield from mutations(ast.parse(self.code), self.reach, self.frozen, wanted)


@dataclass(frozen=True)
class Mutant:
    """One changed file."""

    point: MutationPoint
    mutation: Mutation

    @property
    def id(self) -> str:
        """Its name, which stays as long as what it changes does."""
        return f"{self.point.name}/{self.mutation.operator}/{self.mutation.key}"

    @property
    def text(self) -> str:
        """The changed file."""
        return self.point.file_with(self.mutation.text)


@functools.cache
def all_checks() -> list[Check]:
    """Returns the checks of all homeworks."""
    return [check for homework in names() for check in checks(homework)]


@functools.cache
def lines(path: str) -> list[str]:
    """Returns the lines of a file of the solved package."""
    return (ROOT / "cs285" / path).read_text(encoding="utf-8").splitlines()


@functools.cache
def homeworks() -> dict[str, list[str]]:
    """Returns the files with blanks of each homework, by its name."""
    found: dict[str, set[str]] = {}
    for path in sorted((ROOT / "cs285").rglob("*.py")):
        for region in find_regions(path.read_text(encoding="utf-8"), str(path)):
            inside = path.relative_to(ROOT / "cs285").as_posix()
            found.setdefault(region.homework, set()).add(inside)
    return {homework: sorted(paths) for homework, paths in sorted(found.items())}


@functools.cache
def points(homework: str) -> tuple[MutationPoint, ...]:
    """Returns all sites: the blanks, then what stands around them, then what is given."""
    found = [point for path in homeworks()[homework] for point in _points_of(path, homework)]
    order = (BLANK, AROUND, GIVEN)
    return tuple(sorted(found, key=lambda point: order.index(point.kind)))


def _points_of(path: str, homework: str) -> Iterator[MutationPoint]:
    text = "\n".join(lines(path))
    whole = ast.parse(text)
    regions = [region for region in find_regions(text, path) if region.homework == homework]
    for function, around in functions(whole):
        reach = reach_of(function, whole, around)
        inside = [r for r in regions if function.lineno < r.first < (function.end_lineno or 0)]
        for region in inside:
            first, last = region.first + 1, region.last - 1
            yield MutationPoint(
                region.id, BLANK, path, first, last, region.indent, reach, frozenset()
            )
        yield _function(path, function, around, reach, inside)


def _function(
    path: str,
    node: ast.FunctionDef,
    around: ast.ClassDef | None,
    reach: Reach,
    inside: list[Region],
) -> MutationPoint:
    """Returns the site that a given function is, but for the blanks in it."""
    first = min([node.lineno, *(mark.lineno for mark in node.decorator_list)])
    frozen = {n - first + 1 for r in inside for n in range(r.first, r.last + 1)}
    name = f"{path}:{around.name}.{node.name}" if around else f"{path}:{node.name}"
    kind = AROUND if inside else GIVEN
    last = node.end_lineno or first
    return MutationPoint(name, kind, path, first, last, node.col_offset, reach, frozenset(frozen))


def functions(whole: ast.Module) -> Iterator[tuple[ast.FunctionDef, ast.ClassDef | None]]:
    """Yields the functions of a file, and the methods of its classes with their class."""
    for node in whole.body:
        if isinstance(node, ast.FunctionDef):
            yield node, None
        elif isinstance(node, ast.ClassDef) and "Protocol" not in map(ast.unparse, node.bases):
            yield from ((part, node) for part in node.body if isinstance(part, ast.FunctionDef))

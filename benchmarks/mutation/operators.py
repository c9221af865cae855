"""The operators: each changes one place of some statements, as a hurried student might.

`mutations` yields what all of them make of a piece of code, each result once.
"""

from __future__ import annotations

import ast
import hashlib
import warnings
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from benchmarks.mutation.edits import (
    Place,
    Reach,
    built,
    is_value,
    places,
    suites,
    text_of,
    text_with_node,
    text_with_suite,
)
from benchmarks.mutation.expressions import EXPRESSIONS
from benchmarks.mutation.statements import STATEMENTS

T = TypeVar("T")

# What becomes of a value on its way. The second form is for what the first does not work with.
WRAPS = {
    "abs": ("abs(X)",),
    "sign": ("-X",),
    "round": ("round(X)", "X.round()"),
    "int": ("int(X)", "X.astype(int)", "X.long()"),
    "clip": ("X.clip(-1, 1)", "X.clip(0)", "min(X, 1)"),
    "detach added": ("X.detach()",),
    "one row": ("X[:1]", "X[-1:]", "X[0]"),
    "rows moved": ("X[::-1]", "X.flip(0)", "np.roll(X, 1, 0)"),
    "shape": ("X[None]", "X.reshape(-1)", "X.squeeze()"),
    "scaled": ("2 * X", "X + 1"),
    "nothing in its place": ("0 * X", "0"),
}


@dataclass(frozen=True)
class Mutation:
    """One changed piece of code."""

    operator: str
    text: str

    @property
    def key(self) -> str:
        """A short name that stays as long as the text does."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:10]


def mutations(
    code: ast.Module, reach: Reach, frozen: Collection[int], wanted: Collection[str]
) -> Iterator[Mutation]:
    """Yields every change of some code that makes it another one, and compiles.

    Args:
        code: The statements.
        reach: The names that may take the place of others.
        frozen: Numbers of lines that are left alone.
        wanted: The operators.
    """
    record = {text_of(code)}
    for operator, text in _all_changes(code, reach, set(frozen), wanted):
        if text not in record and _compiles(text):
            record.add(text)
            yield Mutation(operator, text)


def _all_changes(
    code: ast.Module, reach: Reach, frozen: set[int], wanted: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Yields the operator and the text of every change, of statements first."""
    for suite in list(suites(code)):
        if suite is not code.body or not isinstance(suite[0], ast.FunctionDef):
            yield from _changed_suites(code, suite, frozen, wanted)
    for place in list(places(code)):
        if getattr(place.node, "lineno", 0) not in frozen:
            for name, node in _changed_nodes(place, reach, wanted):
                yield name, text_with_node(code, place, node)


def _changed_suites(
    code: ast.Module, suite: list[ast.stmt], frozen: set[int], wanted: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Yields the changes of one suite's statements."""
    for number, statement in enumerate(suite):
        if frozen.isdisjoint(range(statement.lineno, (statement.end_lineno or 0) + 1)):
            for name, operator in _of(STATEMENTS, wanted):
                for other in operator(suite, number):
                    yield name, text_with_suite(code, suite, other)


def _changed_nodes(
    place: Place, reach: Reach, wanted: Collection[str]
) -> Iterator[tuple[str, ast.AST]]:
    """Yields what may stand in the place of one node."""
    for name, operator in _of(EXPRESSIONS, wanted):
        for node in operator(place, reach):
            yield name, node
    if is_value(place, reach):
        for name, templates in _of(WRAPS, wanted):
            for node in _wrapped(templates, place, reach):
                yield name, node


def _of(operators: Mapping[str, T], wanted: Collection[str]) -> list[tuple[str, T]]:
    """Returns those operators that are wanted."""
    return [(name, operator) for name, operator in operators.items() if name in wanted]


def _wrapped(templates: tuple[str, ...], place: Place, reach: Reach) -> Iterator[ast.expr]:
    """Yields a value inside each template that the file's own libraries have a use for."""
    node = place.node
    assert isinstance(node, ast.expr)
    for template in templates:
        of_torch = any(name in template for name in (".detach", ".long", ".flip"))
        if of_torch <= ("torch" in reach.modules) and ("np." in template) <= (
            "np" in reach.modules
        ):
            yield built(template, node)


def _compiles(text: str) -> bool:
    """Tells whether statements compile, within a function and a loop."""
    indented = "\n".join("        " + line for line in text.splitlines())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(f"def f():\n    while True:\n{indented}\n", "mutant", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


OPERATORS = (*STATEMENTS, *EXPRESSIONS, *WRAPS)

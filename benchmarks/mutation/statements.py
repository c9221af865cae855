"""Operators on whole statements: each yields what a suite becomes when one statement is changed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from benchmarks.mutation.edits import inner_suites

Suite = list[ast.stmt]
StatementOperator = Callable[[Suite, int], Iterator[Suite]]


def dropped(suite: Suite, i: int) -> Iterator[Suite]:
    """A statement left out."""
    yield suite[:i] + suite[i + 1 :]


def doubled(suite: Suite, i: int) -> Iterator[Suite]:
    """A statement done twice; what leaves the suite can be done once only."""
    if not isinstance(suite[i], ast.Return | ast.Raise | ast.Break | ast.Continue):
        yield suite[: i + 1] + suite[i:]


def moved(suite: Suite, i: int) -> Iterator[Suite]:
    """A statement after the next one, at the beginning, or at the end."""
    rest = suite[:i] + suite[i + 1 :]
    for at in {i + 1, 0, len(rest)}:
        yield [*rest[:at], suite[i], *rest[at:]]


def moved_out(suite: Suite, i: int) -> Iterator[Suite]:
    """The first statement of a block before it, the last one behind it."""
    for inner in inner_suites(suite[i]):
        first, last = inner[0], inner[-1]
        yield [*suite[:i], first, _with(suite[i], inner, inner[1:]), *suite[i + 1 :]]
        yield (
            [*suite[: i + 1], last, *suite[i + 1 :]]
            if len(inner) == 1
            else [
                *suite[:i],
                _with(suite[i], inner, inner[:-1]),
                last,
                *suite[i + 1 :],
            ]
        )


def moved_in(suite: Suite, i: int) -> Iterator[Suite]:
    """A statement inside the block that follows or comes before it."""
    if i + 1 < len(suite):
        for inner in inner_suites(suite[i + 1]):
            block = _with(suite[i + 1], inner, [suite[i], *inner])
            yield [*suite[:i], block, *suite[i + 2 :]]
    if i > 0:
        for inner in inner_suites(suite[i - 1]):
            block = _with(suite[i - 1], inner, [*inner, suite[i]])
            yield [*suite[: i - 1], block, *suite[i + 1 :]]


def unwrapped(suite: Suite, i: int) -> Iterator[Suite]:
    """A block without its head: done always, and once; or only its `else`."""
    for inner in inner_suites(suite[i]):
        yield [*suite[:i], *inner, *suite[i + 1 :]]


def branches(suite: Suite, i: int) -> Iterator[Suite]:
    """The two ways of an `if` exchanged, or joined."""
    statement = suite[i]
    if isinstance(statement, ast.If):
        if statement.orelse:
            other = ast.If(statement.test, statement.orelse, statement.body)
            yield [*suite[:i], other, *suite[i + 1 :]]
            alone = ast.If(statement.test, statement.body, [])
            yield [*suite[:i], alone, *statement.orelse, *suite[i + 1 :]]
        elif suite[i + 1 :]:
            yield [*suite[:i], ast.If(statement.test, statement.body, suite[i + 1 :])]


def no_gradient(suite: Suite, i: int) -> Iterator[Suite]:
    """A statement without gradients."""
    if not isinstance(suite[i], ast.Return | ast.With):
        head = ast.parse("with torch.no_grad():\n    pass").body[0]
        assert isinstance(head, ast.With)
        yield [*suite[:i], ast.With(head.items, [suite[i]]), *suite[i + 1 :]]


def left_early(suite: Suite, i: int) -> Iterator[Suite]:
    """A loop left after its first round; an `if` for a `while`."""
    statement = suite[i]
    if isinstance(statement, ast.For | ast.While):
        block = _with(statement, statement.body, [*statement.body, ast.Break()])
        yield [*suite[:i], block, *suite[i + 1 :]]


def in_place(suite: Suite, i: int) -> Iterator[Suite]:
    """What is computed is written over what it was computed from; or not, where it should be."""
    statement = suite[i]
    if isinstance(statement, ast.AugAssign):
        result = ast.BinOp(statement.target, statement.op, statement.value)
        yield [*suite[:i], ast.Assign([statement.target], result), *suite[i + 1 :]]
        yield [*suite[:i], ast.Assign([statement.target], statement.value), *suite[i + 1 :]]
    value = getattr(statement, "value", None)
    if isinstance(statement, ast.Assign | ast.AnnAssign) and isinstance(value, ast.BinOp):
        if isinstance(value.left, ast.Name | ast.Attribute):
            over = ast.AugAssign(value.left, value.op, value.right)
            new = ast.Assign([_target(statement)], value.left)
            yield [*suite[:i], over, new, *suite[i + 1 :]]


def summed(suite: Suite, i: int) -> Iterator[Suite]:
    """What is assigned is added to what is there; or kept from the first time."""
    statement = suite[i]
    target = _target(statement) if isinstance(statement, ast.Assign) else None
    if isinstance(statement, ast.Assign) and isinstance(target, ast.Name | ast.Attribute):
        added = ast.AugAssign(target, ast.Add(), statement.value)
        yield [*suite[:i], added, *suite[i + 1 :]]


def _target(statement: ast.Assign | ast.AnnAssign) -> ast.expr:
    """Returns what is assigned to."""
    return statement.targets[0] if isinstance(statement, ast.Assign) else statement.target


def _with(statement: ast.stmt, inner: Suite, other: Suite) -> ast.stmt:
    """Returns a block with one of its suites replaced."""
    fields = {field: held for field, held in ast.iter_fields(statement)}
    for field, held in fields.items():
        if held is inner:
            fields[field] = other
    return type(statement)(**fields)


STATEMENTS: dict[str, StatementOperator] = {
    "statement dropped": dropped,
    "statement doubled": doubled,
    "statement moved": moved,
    "moved out": moved_out,
    "moved in": moved_in,
    "head dropped": unwrapped,
    "branches": branches,
    "no gradient": no_gradient,
    "left early": left_early,
    "in place": in_place,
    "summed": summed,
}
